package import NIOCore
package import RoomModel

/// `room_cleared`: the room begins anew.
package struct ClearingEvent: Equatable, Sendable {
    package let room: RoomName
    /// As the broker wrote it.
    package let epoch: String
    /// Where the room stands in that epoch.
    package let seq: UInt64
    /// The JSON object, see ``SenderObject``.
    package let sender: ByteBuffer

    package init(
        room: RoomName,
        epoch: String,
        seq: UInt64,
        sender: ByteBuffer
    ) {
        self.room = room
        self.epoch = epoch
        self.seq = seq
        self.sender = sender
    }
}
