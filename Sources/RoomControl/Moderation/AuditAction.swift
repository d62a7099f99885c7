package import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel

/// The acts of moderation, by the word in the audit log and in metrics.
package enum AuditAction: String, CaseIterable, Sendable {
    case kick = "member.kick"
    case impose = "sanction.impose"
    case lift = "sanction.lift"
    case lock = "room.lock"
    case unlock = "room.unlock"
    case slowMode = "room.slow_mode"
    case limitMembers = "room.limit_members"
    case redact = "message.redact"
    case clear = "room.clear"
    case prune = "history.prune"
    case notifyRoom = "room.notice"
    case notifyChannel = "channel.notice"
}

extension Moderator {
    /// An administrator.
    package init(_ caller: AdminCaller) {
        self.init(
            actor: caller.actor,
            origin: caller.origin,
            sender: ExternalSender.admin(caller.actor).sender,
            person: nil
        )
    }

    /// - Parameters:
    ///   - target: the room or the channel.
    ///   - details: whom it is for, and why.
    ///   - time: Unix milliseconds.
    func entry(_ action: AuditAction, _ target: String, _ details: [JSONTree.Field], time: Int64) -> AuditEntry {
        AuditEntry(
            time: time,
            actor: self.actor,
            origin: self.origin,
            action: action.rawValue,
            target: target,
            details: JSONTree.object(details).text
        )
    }
}
