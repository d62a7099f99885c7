import RoomModel

extension Room {
    /// Tells the other members that the user is typing, as ``MemberSignal/typing(_:)``: call it for each key. The client sends at
    /// most one such signal in three seconds, and none while it is not in the room. A signal that the broker refuses is lost.
    ///
    /// - Parameter isTyping: `false`: the user has stopped. A published message needs no such call.
    public func typing(_ isTyping: Bool = true) {
        let membership = self.membership.ref
        self.membership.client.core.post { $0.rooms.typing(isTyping, as: membership) }
    }

    /// Tells the other members how far the user has read, as ``MemberSignal/read(through:)``: call it for each message that the user
    /// sees. The client sends the newest position, at most one in three seconds, and sends it after the next connection if it
    /// has none. A signal that the broker refuses is lost.
    ///
    /// The broker does not store read marks: a member that joins later learns only of later ones.
    ///
    /// - Parameter position: the ``RoomMessage/position`` of the message.
    public func markRead(through position: RoomPosition) {
        let membership = self.membership.ref
        self.membership.client.core.post { $0.rooms.markRead(through: Position(position), as: membership) }
    }
}
