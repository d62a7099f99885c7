package import NIOCore
package import RoomModel

/// `room_cleared`: a moderator has deleted all messages.
package struct ClearingEvent: Frame, Equatable, Sendable {
    package private(set) var room: RoomName
    /// As the broker wrote it.
    package private(set) var epoch: String
    /// The place in that epoch from which the room continues.
    package private(set) var seq: UInt64
    /// The JSON object of the stamp, see ``SenderObject``.
    package internal(set) var sender: ByteBuffer

    package init(room: RoomName, epoch: String, seq: UInt64 = 0, sender: ByteBuffer = ByteBuffer()) {
        (self.room, self.epoch, self.seq, self.sender) = (room, epoch, seq, sender)
    }

    package init(placeholder: ()) { self.init(room: RoomName(""), epoch: "") }

    package var type: BrokerFrameType { .roomCleared }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq, .countable)
    }
}
