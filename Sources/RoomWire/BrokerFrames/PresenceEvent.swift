package import NIOCore
package import RoomModel

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

    package init(room: RoomName, kind: Kind, member: ByteBuffer) {
        self.room = room
        self.kind = kind
        self.member = member
    }
}
