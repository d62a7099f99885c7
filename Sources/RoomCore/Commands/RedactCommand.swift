import NIOCore
package import RoomModel

/// A redaction on its way into its room: the message was looked up before.
package struct RedactCommand: Equatable, Sendable {
    package var origin: Origin
    /// The sender of the redaction.
    package var sender: Sender
    /// For people.
    package var reason: String?
    /// The log in which the message was found.
    package var epoch: Epoch
    /// The room's newest message then.
    package var newest: UInt64
    /// The tombstone that is to be in the message's place.
    package var tombstone: Tombstone

    package init(
        origin: Origin,
        sender: Sender,
        reason: String?,
        epoch: Epoch,
        newest: UInt64,
        tombstone: Tombstone
    ) {
        self.origin = origin
        self.sender = sender
        self.reason = reason
        self.epoch = epoch
        self.newest = newest
        self.tombstone = tombstone
    }
}

extension RedactCommand: RecordParts {
    package init(placeholder: ()) {
        self.init(
            origin: .blank,
            sender: .blank,
            reason: nil,
            epoch: Epoch(rawValue: 0),
            newest: 0,
            tombstone: Tombstone(seq: 0, id: .blank, tail: ByteBuffer())
        )
    }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags("flags of a redaction", self.reason != nil, self.tombstone.text != nil)
        try visitor.part("origin", &self.origin)
        try visitor.part("sender", &self.sender)
        try visitor.part("reason of a redaction", &self.reason, if: flags[0])
        try visitor.part("epoch of a redaction", &self.epoch)
        try visitor.part("newest message of a redaction", &self.newest)
        try visitor.part("seq of a redaction", &self.tombstone.seq)
        try visitor.part("id of a redaction", &self.tombstone.id)
        try visitor.part("tombstone", &self.tombstone.tail)
        try visitor.part("text of a tombstone", &self.tombstone.text, if: flags[1])
    }
}
