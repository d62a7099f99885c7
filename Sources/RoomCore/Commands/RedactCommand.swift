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

extension RedactCommand: RoomOperation {
    /// Gives the redaction its place, or answers that the message has to be looked up again.
    package func take(in room: inout Room, into batch: inout RoomBatch) {
        // the room was cleared, or its log replaced, since the message was looked up
        guard self.epoch == room.epoch, self.tombstone.seq <= room.lastSeq else {
            batch.answer(.refused(self.origin, Room.messageNotFound(in: room.key.room)))
            return
        }
        // another node may have redacted the same message meanwhile
        guard room.redactions.newest <= self.newest else {
            batch.answer(RoomAnswer(to: self.origin.connection, .located))
            return
        }
        room.lastSeq += 1
        room.redactions.insert(room.lastSeq)
        let content = RoomEntry.Content.redaction(self.tombstone, reason: self.reason)
        batch.entries.append(RoomEntry(content: content, stamp: batch.stamp(self.sender), seq: room.lastSeq))
        batch.tombstones.append(self.tombstone)
        batch.needsCommit = room.hasHistory
        let target = self.tombstone
        let receipt = RedactionReceipt(seq: room.lastSeq, targetSeq: target.seq, targetID: target.id)
        batch.answer(RoomAnswer(to: self.origin.connection, .moderated(.redacted(receipt))))
    }

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

extension Room {
    package static func messageNotFound(in room: RoomName) -> RequestError {
        RequestError(
            .messageNotFound,
            "the room has no such message, or no longer has it; name a message of its history by its id or seq",
            room: room
        )
    }
}
