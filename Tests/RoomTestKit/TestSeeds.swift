import Foundation

/// The seeds of a test, or those of `ROOMLINE_SEEDS`: `44` for one that failed, `1-500` for a long run.
package enum TestSeeds {
    package static func of(_ usual: ClosedRange<UInt64>) -> [UInt64] {
        guard let text = ProcessInfo.processInfo.environment["ROOMLINE_SEEDS"] else { return Array(usual) }
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return [] }
        return Array(first...last)
    }
}
