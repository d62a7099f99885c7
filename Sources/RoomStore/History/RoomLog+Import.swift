import GRDB
import RoomCore
import RoomModel

extension RoomLog {
    /// Stores one part of an export.
    static func store(
        _ part: LogImport,
        in db: Database,
        now: Int64
    ) throws -> Result<ImportReceipt, LogImportError> {
        guard let first = part.entries.first else { return .failure(.movedOn) }
        if let after = part.after {
            guard let row = try RoomRow.fetch(db, part.room), row.epoch == after.epoch, row.lastSeq == after.seq,
                row.lastSeq + 1 == first.seq, row.lastID.map({ $0 < first.id }) ?? true
            else { return .failure(.movedOn) }
        } else {
            guard try Self.begin(part, in: db, now: now) else { return .failure(.occupied) }
        }
        guard var log = try Self.withNewEpoch(db, part.room), log.isContinued(by: part.entries) else {
            return .failure(.movedOn)
        }
        let batch = LogBatch(
            log: LogID(log.room, generation: 0),
            retention: part.retention,
            durability: .power,
            entries: part.entries
        )
        let receipt = try log.append(batch, now: now)
        return .success(ImportReceipt(epoch: log.room.epoch, seq: log.room.lastSeq, oldestSeq: receipt.oldestSeq))
    }

    /// Puts an empty log that ends before the first message in the place of the room's. Returns false where the room
    /// serves messages.
    private static func begin(_ part: LogImport, in db: Database, now: Int64) throws -> Bool {
        if let row = try RoomRow.fetch(db, part.room) {
            let oldest = try RoomLog(db, room: row).oldest(keeping: part.retention, now: now)
            guard oldest.seq > row.lastSeq else { return false }
        }
        try ClearedLog.clear(db, part.room, now: now)
        try RoomRow.register(db, part.room, retention: part.retention, durability: .power)
        guard let first = part.entries.first, var row = try RoomRow.fetch(db, part.room) else { return false }
        row.lastSeq = first.seq - 1
        row.oldestSeq = first.seq
        row.firstSeq = first.seq
        try row.update(db)
        return true
    }

    private static func withNewEpoch(_ db: Database, _ key: RoomKey) throws -> RoomLog? {
        try db.cachedStatement(sql: "UPDATE room SET epoch = random() WHERE channel = ? AND name = ?")
            .execute(arguments: [key.channel.text, key.room.text])
        return try RoomRow.fetch(db, key).map { RoomLog(db, room: $0) }
    }
}
