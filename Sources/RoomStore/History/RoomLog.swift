import GRDB
import RoomCore
import RoomModel

/// One room's messages as a log, within one access to the database.
///
/// Retention is two limits that only grow: readers see nothing below `room.oldestSeq`, and batches that are wholly
/// below it are deleted in small steps of later transactions, so that no append and no read waits for a long deletion.
struct RoomLog {
    let db: Database
    var room: RoomRow

    init(_ db: Database, room: RoomRow) {
        self.db = db
        self.room = room
    }

    /// `nil` where nothing of it is stored. Throws `EngineError.reset` where there is no such log.
    init?(_ db: Database, id: LogID) throws {
        guard let room = try RoomRow.fetch(db, id) else { return nil }
        self.init(db, room: room)
    }

    /// Whether the entries go on where the log ends.
    func isContinued(by entries: [LogEntry]) -> Bool {
        var seq = self.room.lastSeq
        for entry in entries {
            seq += 1
            guard entry.seq == seq else { return false }
        }
        return seq <= BatchRowID.highestSeq
    }

    /// Appends entries that continue the log, and trims it.
    mutating func append(_ batch: LogBatch, now: Int64) throws -> AppendReceipt {
        try BatchRow.insert(self.db, room: self.room.id, batch.entries, now: now)
        try self.put(batch.tombstones)
        if let redaction = batch.entries.last(where: { !$0.kind.isMessage }) {
            self.room.lastRedaction = redaction.seq
        }
        if let newest = batch.entries.last {
            self.room.lastSeq = newest.seq
            self.room.lastID = newest.id
            self.room.isSynced = batch.durability == .power
        }
        self.room.keepCount = batch.retention.countLimit
        self.room.keepMilliseconds = batch.retention.ageMilliseconds
        let oldest = try self.oldest(keeping: batch.retention, now: now)
        self.move(to: oldest)
        try self.trimAfterAppend(of: batch.entries.count, now: now)
        try self.room.update(self.db)
        return AppendReceipt(oldestSeq: oldest.seq, hasExpired: oldest.hasExpired)
    }
}
