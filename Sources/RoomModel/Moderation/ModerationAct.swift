/// What a moderator does in a room (protocol §2, moderation).
package enum ModerationAct: Equatable, Sendable {
    /// Out of the room, at once; it can come back.
    case kick(ClientID, reason: String?)
    /// - Parameter seconds: `nil`: until it is lifted.
    case impose(Sanction.Kind, SanctionSubject, reason: String?, seconds: Int?)
    case lift(Sanction.Kind, SanctionSubject)
    case lock(reason: String?)
    case unlock
    /// - Parameter seconds: 0: off.
    case slowMode(seconds: Int)
    /// - Parameter count: 0: as the channel says.
    case limitMembers(count: Int)
    case redact(MessageReference, reason: String?)
    /// All messages are gone; the room begins anew.
    case clear
    case notice(text: String)

    /// The most bytes of a reason, and of a notice.
    package static let longestReason = 500
    package static let longestNotice = 2_000
    /// Ten years, in seconds.
    package static let longestSanction = 10 * 365 * 86_400
}

/// `{"type":"moderate",…}`
package struct ModerationRequest: Equatable, Sendable {
    package var room: RoomName
    package var act: ModerationAct

    package init(room: RoomName, act: ModerationAct) {
        self.room = room
        self.act = act
    }
}
