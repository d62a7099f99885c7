/// The place of a record in a log that several nodes follow: ascending by one, from 1. A place in which the log has nothing (its record
/// was erased) is told as one without bytes.
package struct LogOffset: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let first = LogOffset(rawValue: 1)

    package var next: LogOffset { LogOffset(rawValue: self.rawValue + 1) }

    package static func < (left: LogOffset, right: LogOffset) -> Bool { left.rawValue < right.rawValue }
}
