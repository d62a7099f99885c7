package import NIOCore
package import RoomModel

/// A message of a room, live or from its history. Its time is that of its id.
package struct DeliveredMessage: Equatable, Sendable {
    package let room: RoomName
    package let id: UniqueID
    /// `nil` for an ephemeral message.
    package let seq: UInt64?
    /// The JSON object, see ``SenderObject``. Like `message` a slice of the line: copy what is to outlive it.
    package let sender: ByteBuffer
    /// The JSON value, byte for byte.
    package let message: ByteBuffer
    /// It stood in a `history_message` or in the reply to a history query.
    package let isHistory: Bool
    /// A moderator has taken the message away: a tombstone stands in its place.
    package let isRedacted: Bool

    package init(
        room: RoomName,
        id: UniqueID,
        seq: UInt64?,
        sender: ByteBuffer,
        message: ByteBuffer,
        isHistory: Bool = false,
        isRedacted: Bool = false
    ) {
        self.room = room
        self.id = id
        self.seq = seq
        self.sender = sender
        self.message = message
        self.isHistory = isHistory
        self.isRedacted = isRedacted
    }
}
