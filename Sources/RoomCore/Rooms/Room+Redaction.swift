package import RoomModel

/// Messages that are taken back.
extension Room {
    /// Gives a redaction its place, or answers that the message has to be looked up again.
    mutating func redact(_ redaction: RedactCommand, into batch: inout RoomBatch) {
        // the room was cleared, or its log replaced, since the message was looked up
        guard redaction.epoch == self.epoch, redaction.tombstone.seq <= self.lastSeq else {
            batch.answer(.refused(redaction.origin, Self.messageNotFound(in: self.key.room)))
            return
        }
        // another node may have redacted the same message meanwhile
        guard self.redactions.newest <= redaction.newest else {
            batch.answer(RoomAnswer(to: redaction.origin.connection, .located))
            return
        }
        self.lastSeq += 1
        self.redactions.insert(self.lastSeq)
        let content = RoomEntry.Content.redaction(redaction.tombstone, reason: redaction.reason)
        batch.entries.append(RoomEntry(content: content, stamp: batch.stamp(redaction.sender), seq: self.lastSeq))
        batch.tombstones.append(redaction.tombstone)
        batch.needsCommit = self.hasHistory
        let target = redaction.tombstone
        let receipt = RedactionReceipt(seq: self.lastSeq, targetSeq: target.seq, targetID: target.id)
        batch.answer(RoomAnswer(to: redaction.origin.connection, .moderated(.redacted(receipt))))
    }

    package static func messageNotFound(in room: RoomName) -> RequestError {
        RequestError(
            .messageNotFound,
            "the room has no such message, or no longer has it; name a message of its history by its id or seq",
            room: room
        )
    }
}
