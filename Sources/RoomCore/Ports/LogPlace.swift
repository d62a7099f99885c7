/// The place of a record in a log that several nodes follow: ascending by one, from 1. A place in which the log has nothing (its record
/// was erased) is told as one without bytes.
package struct LogPlace: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let first = LogPlace(rawValue: 1)

    package var next: LogPlace { LogPlace(rawValue: self.rawValue + 1) }

    package static func < (left: LogPlace, right: LogPlace) -> Bool { left.rawValue < right.rawValue }
}
