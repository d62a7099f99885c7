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
        let usual = try Int.fetchOne(self.db, sql: "PRAGMA secure_delete") ?? 0
        try self.db.execute(sql: "PRAGMA secure_delete = 1")
        defer {
            // Failing leaves later deletions slower than they need be.
            try? self.db.execute(sql: "PRAGMA secure_delete = \(usual)")
        }
        for tombstone in tombstones { try self.put(tombstone) }
    }

    private func put(_ tombstone: Tombstone) throws {
        let statement = try BoundStatement(
            self.db,
            "UPDATE message SET kind = ?, tail = ? WHERE id = ? AND stamp_high = ? AND stamp_low = ? AND kind = ?"
        )
        statement.bind(LogEntry.Kind.tombstone.storedValue, at: 1)
        statement.bind(MessageRowID(room: self.room.id, seq: tombstone.seq).rawValue, at: 3)
        statement.bind(Int64(bitPattern: tombstone.id.high), at: 4)
        statement.bind(Int64(bitPattern: tombstone.id.low), at: 5)
        statement.bind(LogEntry.Kind.message.storedValue, at: 6)
        try tombstone.tail.withUnsafeReadableBytes { tail in
            statement.bind(unowned: tail, at: 2)
            try statement.run()
        }
    }

    /// The redactions among the newest entries.
    func redactions() throws -> RedactionIndex {
        let start = self.room.lastSeq - min(self.room.lastSeq, Self.knownEntries)
        // Of nearly all rooms it is known without a look that they have none.
        guard self.room.lastRedaction > start else {
            return RedactionIndex(unknownThrough: self.room.lastRedaction)
        }
        let statement = try BoundStatement(
            self.db,
            "SELECT id FROM message WHERE id BETWEEN ? AND ? AND kind = ? ORDER BY id"
        )
        defer { statement.reset() }
        statement.bind(MessageRowID(room: self.room.id, seq: start + 1).rawValue, at: 1)
        statement.bind(MessageRowID(room: self.room.id, seq: self.room.lastRedaction).rawValue, at: 2)
        statement.bind(LogEntry.Kind.redaction.storedValue, at: 3)
        var seqs: [UInt64] = []
        while try statement.step() { seqs.append(MessageRowID(rawValue: statement.int64(at: 0)).seq) }
        return RedactionIndex(unknownThrough: start, seqs: seqs)
    }
}

extension LogEntry.Kind {
    /// `message.kind`.
    var storedValue: Int64 { Int64(self.rawValue) }

    /// `nil` for a value that no version has written.
    init?(storedValue: Int64) {
        guard let value = UInt8(exactly: storedValue) else { return nil }
        self.init(rawValue: value)
    }
}
