package import NIOCore
package import RoomModel

/// `message_redacted`: a moderator has redacted a message. It is an entry of the room's log, which has its fields in the order of a
/// message's (``PublishWriter``).
package struct RedactionEvent: Equatable, Sendable {
    package private(set) var room: RoomName
    package private(set) var id: UniqueID
    /// The place of the redaction itself.
    package private(set) var seq: UInt64
    package private(set) var targetSeq: UInt64
    package private(set) var targetID: UniqueID
    /// For people.
    package private(set) var reason: String?
    /// The JSON object, see ``SenderObject``.
    package private(set) var sender: ByteBuffer
}

extension RedactionEvent: DescribedObject {
    package init(placeholder: ()) {
        let id = UniqueID(high: 0, low: 0)
        self.init(
            room: RoomName(""),
            id: id,
            seq: 0,
            targetSeq: 0,
            targetID: id,
            reason: nil,
            sender: ByteBuffer()
        )
    }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("room", &self.room)
        try visitor.field("id", &self.id)
        try visitor.field("seq", &self.seq, .countable)
        try visitor.field("target_seq", &self.targetSeq, .countable)
        try visitor.field("target_id", &self.targetID)
        try visitor.field("reason", &self.reason)
        try visitor.field("sender", &self.sender, .object)
    }
}
