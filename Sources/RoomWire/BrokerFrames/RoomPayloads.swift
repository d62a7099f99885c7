package import NIOCore
package import RoomModel

/// `observable_members`: the members of the room.
package struct ObservableMembers: Equatable, Sendable {
    package let room: RoomName
    /// The JSON objects, see ``SenderObject``; empty if there are more members than the broker lists.
    package let members: [ByteBuffer]
    package let count: Int
}

/// `observable_member_join`, `…_leave` and `…_update`.
package struct PresenceEvent: Equatable, Sendable {
    package enum Kind: Sendable {
        case joined
        case left
        case updated
    }

    package let room: RoomName
    package let kind: Kind
    /// The JSON object, see ``SenderObject``.
    package let member: ByteBuffer
}

/// `gap`: messages of the room that this client does not receive.
package struct GapEvent: Equatable, Sendable {
    package let room: RoomName
    /// As the broker wrote it.
    package let epoch: String
    package let from: UInt64
    /// Below `from` if the room has another log now, so that nothing can be counted.
    package let through: UInt64
    /// A word of the protocol's; newer brokers may have newer ones.
    package let reason: String
}

/// `removed`: the broker has removed this client from the room.
package struct Removal: Equatable, Sendable {
    package let room: RoomName
    /// For people.
    package let reason: String
    /// A word of the protocol's; older brokers have none.
    package let code: String?
}
