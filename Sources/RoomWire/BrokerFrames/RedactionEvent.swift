package import NIOCore
package import RoomModel

/// `message_redacted`: a message has lost its text. An entry of the room's log.
package struct RedactionEvent: Equatable, Sendable {
    package let room: RoomName
    package let id: UniqueID
    /// The redaction's own.
    package let seq: UInt64
    package let targetSeq: UInt64
    package let targetID: UniqueID
    /// For people.
    package let reason: String?
    /// The JSON object, see ``SenderObject``.
    package let sender: ByteBuffer

    package init(
        room: RoomName,
        id: UniqueID,
        seq: UInt64,
        targetSeq: UInt64,
        targetID: UniqueID,
        reason: String?,
        sender: ByteBuffer
    ) {
        self.room = room
        self.id = id
        self.seq = seq
        self.targetSeq = targetSeq
        self.targetID = targetID
        self.reason = reason
        self.sender = sender
    }
}
