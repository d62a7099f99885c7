import GRDB
import NIOCore
import RoomCore
import RoomModel

/// How far a file has what the log of a cluster's partition says: the tables `followed_log` and `log_snapshot`, which only the
/// file of a cluster's node has. Within one access to the database.
enum FollowedLog {
    /// Whether the file is that of a cluster's node: its rooms and epochs come from a log.
    static func isUsed(_ db: Database) throws -> Bool { try db.tableExists("followed_log") }

    /// Begins to follow the log where the file does not yet.
    static func open(
        _ db: Database,
        _ partition: Int,
        of log: String,
        generation: Int
    ) throws -> Result<ProjectedPartition, ProjectionError> {
        if try !self.isUsed(db) {
            let hasRooms = try Int64.fetchOne(db, sql: "SELECT id FROM room LIMIT 1") != nil
            guard !hasRooms else { return .failure(.ownHistory) }
            try db.execute(sql: HistorySchema.followedLogs)
        }
        try KnownRecord.addTime(to: "followed_log", db)
        let other = try String.fetchOne(
            db,
            sql: "SELECT log FROM followed_log WHERE log <> ? LIMIT 1",
            arguments: [log]
        )
        if let other { return .failure(.otherLog(other)) }
        try self.add(partition, of: log, db)
        return .success(
            ProjectedPartition(
                partition: partition,
                generation: generation,
                newest: try self.newest(db, partition),
                snapshot: try self.snapshot(db, partition)
            )
        )
    }

    /// Begins to follow all logs of a cluster with what the file has.
    ///
    /// - Parameter snapshots: of the partitions, in their order, before their first record.
    static func begin(_ db: Database, of log: String, _ snapshots: [ByteBuffer]) throws {
        try db.execute(sql: HistorySchema.followedLogs)
        for (partition, snapshot) in snapshots.enumerated() {
            try self.add(partition, of: log, db)
            try self.store(snapshot, of: partition, db)
        }
    }

    private static func add(_ partition: Int, of log: String, _ db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO followed_log (partition, log, place) VALUES (?, ?, 0)",
            arguments: [partition, log]
        )
    }

    /// The rooms may be of any place: nothing of them counts before the log has said it once more.
    static func restart(_ db: Database) throws {
        guard try self.isUsed(db) else { return }
        try db.execute(sql: "UPDATE followed_log SET place = 0, time = 0")
        try db.execute(sql: "DELETE FROM log_snapshot")
    }

    /// The rooms are those of a broker that runs alone from now on.
    static func end(_ db: Database) throws {
        for table in ["followed_log", "log_snapshot"] { try db.execute(sql: "DROP TABLE IF EXISTS \(table)") }
    }

    /// - Throws: `EngineError.reset` where the file does not end where the write goes on.
    static func store(_ write: ProjectionWrite, _ db: Database) throws {
        let place = try self.place(db, write.partition)
        // its commit was taken for failed
        if place == Int64(write.through.rawValue) { return }
        guard place == Int64(write.after?.rawValue ?? 0) else { throw EngineError.reset }
        for change in write.changes { try self.store(change, now: write.time, db) }
        let statement = try BoundStatement(db, "UPDATE followed_log SET place = ?, time = ? WHERE partition = ?")
        statement.bind(Int64(write.through.rawValue), at: 1)
        statement.bind(write.recordTime, at: 2)
        statement.bind(Int64(write.partition), at: 3)
        try statement.run()
        if let snapshot = write.snapshot { try self.store(snapshot, of: write.partition, db) }
    }

    private static func store(_ change: RoomChange, now: Int64, _ db: Database) throws {
        try self.storeEntries(of: change, now: now, db)
        guard change.prunedThrough > 0, let row = try RoomRow.fetch(db, change.room) else { return }
        var log = RoomLog(db, room: row)
        try log.prune(through: change.prunedThrough, now: now)
    }

    private static func storeEntries(of change: RoomChange, now: Int64, _ db: Database) throws {
        var row = try RoomRow.fetch(db, change.room)
        if let before = change.epochBefore, row?.epoch == before {
            row?.epoch = change.epoch
            try RoomRow.rename(db, change.room, to: change.epoch)
        }
        if let found = row, found.epoch != change.epoch || change.history == nil {
            try ClearedLog.clear(db, change.room, now: now)
            row = nil
        }
        guard let history = change.history else { return }
        guard let first = change.entries.first else {
            // the sweep goes by it
            if row?.keeps(history) == false { try RoomRow.note(db, change.room, history) }
            return
        }
        guard let room = try row ?? self.begin(change, at: first.seq, history, db) else { throw EngineError.reset }
        var log = RoomLog(db, room: room)
        guard log.isContinued(by: change.entries) else { throw EngineError.reset }
        let batch = LogBatch(
            log: LogID(room, generation: 0),
            retention: history,
            durability: .process,
            entries: change.entries,
            tombstones: change.tombstones
        )
        _ = try log.append(batch, now: now)
    }

    /// The row of a log that begins, or of one whose messages have all gone, and its row with them (`Sweep.retire`).
    private static func begin(
        _ change: RoomChange,
        at seq: UInt64,
        _ history: HistorySettings,
        _ db: Database
    ) throws -> RoomRow? {
        try RoomRow.insert(
            db,
            change.room,
            epoch: change.epoch,
            retention: history,
            durability: .process,
            limit: .max
        )
        var row = try RoomRow.fetch(db, change.room)
        row?.lastSeq = seq - 1
        row?.oldestSeq = seq
        row?.firstSeq = seq
        return row
    }

    private static func place(_ db: Database, _ partition: Int) throws -> Int64? {
        let statement = try BoundStatement(db, "SELECT place FROM followed_log WHERE partition = ?")
        defer { statement.reset() }
        statement.bind(Int64(partition), at: 1)
        return try statement.step() ? statement.int64(at: 0) : nil
    }

    private static func newest(_ db: Database, _ partition: Int) throws -> KnownRecord? {
        try Row.fetchOne(db, sql: "SELECT place, time FROM followed_log WHERE partition = ?", arguments: [partition])
            .flatMap(KnownRecord.init)
    }

    private static func snapshot(_ db: Database, _ partition: Int) throws -> ByteBuffer? {
        let statement = try BoundStatement(db, "SELECT snapshot FROM log_snapshot WHERE partition = ?")
        defer { statement.reset() }
        statement.bind(Int64(partition), at: 1)
        return try statement.step() ? ByteBuffer(bytes: statement.bytes(at: 0)) : nil
    }

    private static func store(_ snapshot: ByteBuffer, of partition: Int, _ db: Database) throws {
        let statement = try BoundStatement(
            db,
            "INSERT OR REPLACE INTO log_snapshot (partition, snapshot) VALUES (?, ?)"
        )
        statement.bind(Int64(partition), at: 1)
        try snapshot.withUnsafeReadableBytes { bytes in
            statement.bind(unowned: bytes, at: 2)
            try statement.run()
        }
    }
}
