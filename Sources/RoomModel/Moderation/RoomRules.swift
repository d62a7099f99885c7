/// What moderators have set for one room, beside its channel's settings. They hold for all but moderators, administrators
/// and who publishes with the channel's secret.
package struct RoomRules: Equatable, Sendable {
    /// Nobody publishes.
    package var isLocked = false
    /// For people.
    package var lockReason: String?
    /// Seconds that a member has to wait between two messages; `nil`: none.
    package var slowMode: Int?
    /// The most members it can have; `nil`: as the channel says.
    package var memberLimit: Int?

    package init() {}

    /// A day.
    package static let slowModeBounds = 1...86_400
    package static let memberLimitBounds = 1...1_000_000

    /// Nothing is set.
    package var isEmpty: Bool { self == RoomRules() }
}
