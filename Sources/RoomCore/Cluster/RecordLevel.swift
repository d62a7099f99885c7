/// Which records a release can read. One that adds kinds of records, or fields, adds a level; nodes write only what all nodes that
/// live can read, so that nodes can be upgraded one after the other.
package enum RecordLevel: Int, Comparable, CaseIterable, Sendable {
    /// Commands, ticks, and nodes that are gone.
    case first = 1
    /// Also texts that are to be erased, and messages that are pruned or imported.
    case orders = 2

    package static let newest = Self.allCases.max() ?? .first

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
