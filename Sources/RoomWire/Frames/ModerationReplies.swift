package import RoomModel

/// The answer to the redaction of one message.
package struct RedactReply: DescribedObject {
    /// The place of the redaction; `nil`: the message was redacted before.
    private var seq: UInt64?
    private var isDuplicate: Bool
    private var targetSeq: UInt64
    private var targetID: UniqueID

    package init(seq: UInt64?, targetSeq: UInt64, targetID: UniqueID) {
        (self.seq, self.isDuplicate, self.targetSeq, self.targetID) = (seq, seq == nil, targetSeq, targetID)
    }

    package init(placeholder: ()) { self.init(seq: nil, targetSeq: 0, targetID: UniqueID(high: 0, low: 0)) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("seq", &self.seq, .atLeast(1))
        try visitor.field("duplicate", &self.isDuplicate, or: false)
        try visitor.field("target_seq", &self.targetSeq, .atLeast(1))
        try visitor.field("target_id", &self.targetID)
    }
}

/// The answer to the redaction of all messages of somebody.
package struct RedactAllReply: DescribedObject {
    /// How many they were.
    package private(set) var count: Int
    /// The place at which the next request goes on; `nil`: there is nothing more.
    package private(set) var next: UInt64?

    package init(count: Int, next: UInt64?) {
        (self.count, self.next) = (count, next)
    }

    package init(placeholder: ()) { self.init(count: 0, next: nil) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("count", &self.count, .atLeast(0))
        try visitor.field("after_seq", &self.next, .countable)
    }
}

/// The answer to a moderator's clearing: where the room stands.
package struct ClearReply: DescribedObject {
    private var epoch: String
    private var seq: UInt64

    package init(epoch: Epoch) {
        (self.epoch, self.seq) = (epoch.description, 0)
    }

    package init(placeholder: ()) { self.init(epoch: Epoch(rawValue: 0)) }

    package var position: Position { Position(epoch: Epoch(self.epoch), seq: self.seq) }

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("epoch", &self.epoch)
        try visitor.field("seq", &self.seq, .countable)
    }
}
