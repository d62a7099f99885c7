package import NIOCore
package import RoomModel

/// `observable_member_join`, `…_leave` and `…_update`.
package struct PresenceEvent: Frame, Equatable, Sendable {
    package enum Kind: Sendable {
        case joined
        case left
        case updated
    }

    package private(set) var room: RoomName
    /// The type as the frame says it.
    package internal(set) var kind: Kind
    /// The JSON object, see ``SenderObject``.
    package private(set) var member: ByteBuffer

    package init(room: RoomName, kind: Kind, member: ByteBuffer) {
        (self.room, self.kind, self.member) = (room, kind, member)
    }

    package init(placeholder: ()) { self.init(room: RoomName(""), kind: .joined, member: ByteBuffer()) }

    package var type: BrokerFrameType {
        switch self.kind {
        case .joined: .memberJoin
        case .left: .memberLeave
        case .updated: .memberUpdate
        }
    }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("data", &self.member, .object)
    }
}
