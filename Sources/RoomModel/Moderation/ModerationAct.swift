/// An act of a moderator in a room (protocol §2, moderation).
package enum ModerationAct: Equatable, Sendable {
    case room(RoomAct)
    /// - Parameter seconds: `nil`: until it is lifted.
    case impose(Sanction.Kind, SanctionSubject, reason: String?, seconds: Int?)
    /// A ban, and the redaction of all that the room has stored of the subject.
    case banAndRedact(SanctionSubject, reason: String?, seconds: Int?)
    case lift(Sanction.Kind, SanctionSubject)
    case lock(reason: String?)
    case unlock
    /// - Parameter seconds: 0: off.
    case slowMode(seconds: Int)
    /// - Parameter count: 0: as the channel says.
    case limitMembers(count: Int)
    /// The redaction of all that the room has stored of the subject.
    ///
    /// - Parameter after: the `seq` where an earlier act has stopped; 0: from the start.
    case redactAll(SanctionSubject, after: UInt64, reason: String?)
    /// The rules of the room, the bans and mutes in it, and who has written a message. Changes nothing.
    case show(authorOf: MessageReference?)

    /// The most bytes of a reason, and of a notice.
    package static let longestReason = 500
    package static let longestNotice = 2_000
    /// Ten years, in seconds.
    package static let longestSanction = 10 * 365 * 86_400
}

/// An act that has a place in the room's order.
package enum RoomAct: Equatable, Sendable {
    /// Takes a member out of the room, at once; it can come back.
    case kick(ClientID, reason: String?)
    /// Puts a tombstone in the place of a message, and tells the room.
    case redact(MessageReference, reason: String?)
    /// Removes all messages: the room begins anew.
    case clear
    /// Tells all members of the room.
    case notice(Notice)

    /// For people.
    package var reason: String? {
        switch self {
        case .kick(_, let reason), .redact(_, let reason): reason
        case .clear, .notice: nil
        }
    }

    /// The member that it takes out.
    package var client: ClientID? {
        if case .kick(let client, _) = self { client } else { nil }
    }

    package var auditAction: AuditAction {
        switch self {
        case .kick: .kick
        case .redact: .redact
        case .clear: .clear
        case .notice: .notifyRoom
        }
    }
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

/// One message of a room, as a moderator names it.
package enum MessageReference: Hashable, Sendable {
    case seq(UInt64)
    case id(UniqueID)
}

/// The rules that moderators have set for one room, beside its channel's settings. They hold for all but moderators,
/// administrators and who publishes with the channel's secret.
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

    /// What somebody who comes into the room has to know of them.
    package var notices: [Notice] {
        let lock = self.isLocked ? Notice.locked(reason: self.lockReason) : nil
        return [lock, self.slowMode.map { .slowMode(seconds: $0) }].compactMap(\.self)
    }
}

/// The content of a `notice` frame.
package struct Notice: Equatable, Sendable {
    /// The kinds of notice that a client can act on.
    package enum Kind: Equatable, Sendable {
        case locked
        case unlocked
        /// Seconds between two messages of a member; 0: off.
        case slowMode(seconds: Int)

        /// The word in the protocol.
        package var code: String {
            switch self {
            case .locked: "room_locked"
            case .unlocked: "room_unlocked"
            case .slowMode: "slow_mode"
            }
        }
    }

    /// For people.
    package var text: String
    /// `nil`: what somebody had to say.
    package var kind: Kind?

    package init(text: String, kind: Kind? = nil) {
        self.text = text
        self.kind = kind
    }

    /// - Parameter reason: for people.
    package static func locked(reason: String?) -> Notice {
        Notice(text: "This room is locked: \(reason ?? "nobody can write for now.")", kind: .locked)
    }

    package static let unlocked = Notice(text: "This room is open again.", kind: .unlocked)

    /// - Parameter seconds: between two messages of a member; 0: slow mode is off.
    package static func slowMode(seconds: Int) -> Notice {
        let interval = seconds == 1 ? "second" : "\(seconds) seconds"
        let text = seconds == 0 ? "Slow mode is off." : "Slow mode: a message every \(interval) from each member."
        return Notice(text: text, kind: .slowMode(seconds: seconds))
    }
}
