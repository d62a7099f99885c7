import Foundation
import GRDB
import RoomCore
import RoomModel

/// The remains of a log after it was cleared: rows that nobody reads, and an id.
///
/// To clear a log is to take its row from `room`, at once and however many messages it has, and to keep their publish keys; their
/// rows are deleted by the sweep in small steps. The id is given to another room when the last of them is gone.
struct ClearedLog {
    private static let logsInStep = 64
    private static let messagesInStep: UInt64 = 1_024

    private let id: Int64
    private let firstSeq: UInt64
    private let lastSeq: UInt64

    /// Ends the room's log, if it has one. The keys of its messages are kept (`ClearedKeys`).
    ///
    /// - Parameter now: Unix milliseconds.
    /// - Returns: the bytes that were read for it.
    @discardableResult
    static func clear(_ db: Database, _ key: RoomKey, now: Int64) throws -> Int {
        let found = try Int64.fetchOne(
            // As bytes: a NUL in a name is one of its bytes, and does not make it another room's name.
            db.cachedStatement(sql: "SELECT id FROM room WHERE channel = ? AND name = CAST(? AS TEXT)"),
            arguments: [key.channel.text, Data(key.room.text.utf8)]
        )
        guard let row = try found.flatMap({ try RoomRow.fetch(db, id: $0) }) else { return 0 }
        let keys = try RoomLog(db, room: row).recentKeys(since: now - RoomLog.keyMilliseconds)
        try ClearedKeys.keep(keys.entries, of: key, now: now, db)
        try db.cachedStatement(sql: "DELETE FROM room WHERE id = ?").execute(arguments: [row.id])
        try ClearedLog(id: row.id, firstSeq: row.firstSeq, lastSeq: row.lastSeq).store(db)
        return keys.bytesRead
    }

    /// Leaves the messages of a log that has no row any more to the sweep.
    static func add(_ db: Database, id: Int64, lastSeq: UInt64) throws {
        try ClearedLog(id: id, firstSeq: 1, lastSeq: lastSeq).store(db)
    }

    /// An id for a new room, which no message's row has.
    ///
    /// - Throws: `EngineError.tooManyRooms` where all are taken.
    static func takeID(_ db: Database) throws -> Int64 {
        let free = try Int64.fetchOne(db.cachedStatement(sql: "SELECT id FROM free_log ORDER BY id LIMIT 1"))
        if let free {
            try db.cachedStatement(sql: "DELETE FROM free_log WHERE id = ?").execute(arguments: [free])
            return free
        }
        let id = try self.highestID(db) + 1
        guard id <= LogID.highestRoom else { throw EngineError.tooManyRooms }
        return id
    }

    /// Whether another room can have an id.
    static func hasID(_ db: Database) throws -> Bool {
        if try self.highestID(db) < LogID.highestRoom { return true }
        return try Int64.fetchOne(db, sql: "SELECT id FROM free_log LIMIT 1") != nil
    }

    private static func highestID(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT max(
                        coalesce((SELECT max(id) FROM room), 0),
                        coalesce((SELECT max(id) FROM cleared_log), 0),
                        coalesce((SELECT max(id) FROM cleared_keys), 0)
                    )
                    """
            )
        ) ?? 0
    }

    /// Deletes some of the rows. Returns whether any remain.
    static func sweep(_ db: Database) throws -> Bool {
        let logs = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT id, first_seq, last_seq FROM cleared_log ORDER BY id LIMIT ?"),
            arguments: [Self.logsInStep]
        ).map(ClearedLog.init)
        var messagesLeft = Self.messagesInStep
        for log in logs where messagesLeft > 0 {
            let messages = min(messagesLeft, log.lastSeq - log.firstSeq + 1)
            try log.delete(db, messages)
            messagesLeft -= messages
        }
        return logs.count == Self.logsInStep || messagesLeft == 0
    }

    private init(_ row: Row) {
        self.init(
            id: row["id"],
            firstSeq: UInt64(row["first_seq"] as Int64),
            lastSeq: UInt64(row["last_seq"] as Int64)
        )
    }

    private init(id: Int64, firstSeq: UInt64, lastSeq: UInt64) {
        self.id = id
        self.firstSeq = firstSeq
        self.lastSeq = lastSeq
    }

    /// Deletes the batches that end within this many of the oldest messages.
    private func delete(_ db: Database, _ messages: UInt64) throws {
        let end = self.firstSeq + messages
        let statement = try BoundStatement(db, "DELETE FROM batch WHERE id >= ? AND id < ?")
        statement.bind(BatchRowID(room: self.id, seq: self.firstSeq).rawValue, at: 1)
        statement.bind(BatchRowID(room: self.id, seq: self.firstSeq).rawValue + Int64(messages), at: 2)
        try statement.run()
        try ClearedLog(id: self.id, firstSeq: end, lastSeq: self.lastSeq).store(db)
    }

    private func store(_ db: Database) throws {
        guard self.firstSeq > self.lastSeq else {
            try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO cleared_log (id, first_seq, last_seq) VALUES (?, ?, ?)"
            ).execute(arguments: [self.id, Int64(self.firstSeq), Int64(self.lastSeq)])
            return
        }
        try db.cachedStatement(sql: "DELETE FROM cleared_log WHERE id = ?").execute(arguments: [self.id])
        try db.cachedStatement(sql: "INSERT INTO free_log (id) VALUES (?)").execute(arguments: [self.id])
    }
}
