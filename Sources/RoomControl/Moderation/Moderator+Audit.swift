package import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel

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
