import GRDB
import NIOCore
import RoomCore
import RoomModel

extension RoomLog {
    /// How many of the newest entries are looked through for redactions when a log is opened.
    private static let knownEntries: UInt64 = 2_000

    /// Puts tombstones in the place of messages, whose bytes are overwritten: SQLite by itself would only unlink them.
    func put(_ tombstones: [Tombstone]) throws {
        guard !tombstones.isEmpty else { return }
        try self.db.overwritingDeletedBytes {
            for tombstone in tombstones { try self.put(tombstone) }
        }
    }

    private func put(_ tombstone: Tombstone) throws {
        guard case (let row, var entries)? = try self.batch(with: tombstone.seq) else { return }
        let index = Int(tombstone.seq - row.firstSeq)
        guard entries[index].id == tombstone.id, entries[index].kind == .message else { return }
        entries[index].kind = .tombstone
        entries[index].tail = tombstone.tail
        try BatchRow.replace(self.db, room: self.room.id, entries)
    }

    private func batch(with seq: UInt64) throws -> (BatchRow, [LogEntry])? {
        guard seq <= self.room.lastSeq else { return nil }
        var found: (BatchRow, [LogEntry])?
        try self.forEachBatch(from: seq, through: seq) { row, messages in
            if row.contains(seq) { found = (row, messages.entries()) }
            return false
        }
        return found
    }

    /// The redactions among the newest entries.
    func redactions() throws -> RedactionIndex {
        let start = self.room.lastSeq - min(self.room.lastSeq, Self.knownEntries)
        // Nearly all rooms are known to have none without a look.
        guard self.room.lastRedaction > start else {
            return RedactionIndex(unknownThrough: self.room.lastRedaction)
        }
        var seqs: [UInt64] = []
        try self.forEachBatch(from: start + 1, through: self.room.lastRedaction, marked: .redactions) { row, messages in
            let known = max(start + 1, row.firstSeq)...row.lastSeq
            seqs += known.filter { !messages.kind(of: $0).isMessage }
            return true
        }
        return RedactionIndex(unknownThrough: start, seqs: seqs)
    }
}
