import Foundation
import GRDB
import RoomCore
import RoomModel

/// A room's row: what is known of its log beside the messages.
struct RoomRow: Equatable {
    let id: Int64
    var epoch: Epoch
    var lastSeq: UInt64
    var lastID: UniqueID?
    /// The oldest message that retention lets readers see. Never goes back.
    var oldestSeq: UInt64
    /// Batches that end before it are deleted; at most `oldestSeq`.
    var firstSeq: UInt64
    /// Whether the newest message was synced to the disk.
    var isSynced: Bool
    var keepCount: Int64
    var keepMilliseconds: Int64
    /// The newest redaction; 0: there was none.
    var lastRedaction: UInt64
    /// The newest message that an operator has pruned; 0: none was.
    var prunedSeq: UInt64
    /// The message before `oldestSeq`, if it went by its age; an older one, or 0, otherwise.
    var expiredSeq: UInt64

    private static let columns = """
        id, epoch, last_seq, last_high, last_low, oldest_seq, first_seq, is_synced, keep_count, keep_milliseconds,
        last_redaction, pruned_seq, expired_seq
        """

    static func fetch(_ db: Database, id: Int64) throws -> RoomRow? {
        let statement = try BoundStatement(db, "SELECT \(Self.columns) FROM room WHERE id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        return try statement.step() ? RoomRow(statement) : nil
    }

    static func fetch(_ db: Database, _ key: RoomKey) throws -> RoomRow? {
        let id = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM room WHERE channel = ? AND name = ?"),
            arguments: [key.channel.text, key.room.text]
        )
        return try id.flatMap { try Self.fetch(db, id: $0) }
    }

    /// The row of a log, if something of it is stored. Throws `EngineError.reset` where there is no such log.
    static func fetch(_ db: Database, _ log: LogID) throws -> RoomRow? {
        if let new = log.new {
            guard let row = try Self.fetch(db, new.room) else { return nil }
            guard row.epoch == new.epoch else { throw EngineError.reset }
            return row
        }
        guard let row = try Self.fetch(db, id: log.room), log.names(row) else { throw EngineError.reset }
        return row
    }

    /// The room that the log belongs to.
    static func key(_ db: Database, id: Int64) throws -> RoomKey? {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT channel, CAST(name AS BLOB) AS name FROM room WHERE id = ?"),
            arguments: [id]
        )
        guard let row, let channel = ChannelID(row["channel"] as String) else { return nil }
        return RoomKey(channel: channel, room: RoomName(String(decoding: row["name"] as Data, as: UTF8.self)))
    }

    /// By ascending id.
    static func fetch(_ db: Database, above id: Int64, limit: Int) throws -> [RoomRow] {
        let statement = try BoundStatement(db, "SELECT \(Self.columns) FROM room WHERE id > ? ORDER BY id LIMIT ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        statement.bind(Int64(limit), at: 2)
        var rooms: [RoomRow] = []
        while try statement.step() {
            rooms.append(RoomRow(statement))
        }
        return rooms
    }

    /// The logs of the keys of this room's messages that were cleared, the newest first: read as those of a room.
    static func fetchCleared(_ db: Database, _ key: RoomKey) throws -> [RoomRow] {
        let statement = try BoundStatement(
            db,
            """
            SELECT id, 0, last_seq, last_high, last_low, 1, 1, 1, 0, 0, 0, 0, 0 FROM cleared_keys
            WHERE channel = CAST(?1 AS TEXT) AND name = ?2 ORDER BY last_high DESC, last_low DESC
            """
        )
        defer { statement.reset() }
        var (channel, name) = (key.channel.text, key.room.text)
        return try channel.withUTF8 { channel in
            try name.withUTF8 { name in
                statement.bind(unowned: UnsafeRawBufferPointer(channel), at: 1)
                statement.bind(unowned: UnsafeRawBufferPointer(name), at: 2)
                var rows: [RoomRow] = []
                while try statement.step() { rows.append(RoomRow(statement)) }
                return rows
            }
        }
    }

    /// Creates the room with an epoch of its own if it is new, and notes how much of it to keep.
    static func register(_ db: Database, _ key: RoomKey, retention: HistorySettings, durability: Durability) throws {
        try Self.note(db, key, retention)
        guard db.changesCount == 0 else { return }
        let epoch = Epoch(rawValue: .random(in: 0 ... .max))
        try Self.insert(db, key, epoch: epoch, retention: retention, durability: durability, limit: .max)
    }

    /// Begins the room's log.
    ///
    /// - Parameter limit: how many rooms of a channel can be stored.
    /// - Throws: `EngineError.tooManyRooms`, and then nothing was changed.
    static func insert(
        _ db: Database,
        _ key: RoomKey,
        epoch: Epoch,
        retention: HistorySettings,
        durability: Durability,
        limit: Int
    ) throws {
        guard try StoredRooms.count(db, in: key.channel) < limit else { throw EngineError.tooManyRooms }
        try db.cachedStatement(
            sql: """
                INSERT INTO room (id, channel, name, epoch, is_synced, keep_count, keep_milliseconds)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            try ClearedLog.takeID(db), key.channel.text, key.room.text, Int64(bitPattern: epoch.rawValue),
            durability == .power, retention.countLimit, retention.ageMilliseconds,
        ])
    }

    /// Notes how much of the room to keep, if something of it is stored.
    static func note(_ db: Database, _ key: RoomKey, _ retention: HistorySettings) throws {
        try db.cachedStatement(
            sql: "UPDATE room SET keep_count = ?, keep_milliseconds = ? WHERE channel = ? AND name = ?"
        ).execute(arguments: [
            retention.countLimit, retention.ageMilliseconds, key.channel.text, key.room.text,
        ])
    }

    /// The log goes on with another epoch.
    static func rename(_ db: Database, _ key: RoomKey, to epoch: Epoch) throws {
        try db.cachedStatement(sql: "UPDATE room SET epoch = ? WHERE channel = ? AND name = ?")
            .execute(arguments: [Int64(bitPattern: epoch.rawValue), key.channel.text, key.room.text])
    }

    /// Writes everything that changes.
    func update(_ db: Database) throws {
        let statement = try BoundStatement(
            db,
            """
            UPDATE room SET last_seq = ?2, last_high = ?3, last_low = ?4, oldest_seq = ?5, first_seq = ?6,
                is_synced = ?7, keep_count = ?8, keep_milliseconds = ?9, last_redaction = ?10,
                pruned_seq = ?11, expired_seq = ?12
            WHERE id = ?1
            """
        )
        statement.bind(self.id, at: 1)
        statement.bind(Int64(self.lastSeq), at: 2)
        if let lastID {
            statement.bind(Int64(bitPattern: lastID.high), at: 3)
            statement.bind(Int64(bitPattern: lastID.low), at: 4)
        } else {
            statement.bindNull(at: 3)
            statement.bindNull(at: 4)
        }
        statement.bind(Int64(self.oldestSeq), at: 5)
        statement.bind(Int64(self.firstSeq), at: 6)
        statement.bind(self.isSynced ? 1 : 0, at: 7)
        statement.bind(self.keepCount, at: 8)
        statement.bind(self.keepMilliseconds, at: 9)
        statement.bind(Int64(self.lastRedaction), at: 10)
        statement.bind(Int64(self.prunedSeq), at: 11)
        statement.bind(Int64(self.expiredSeq), at: 12)
        try statement.run()
    }

    func keeps(_ retention: HistorySettings) -> Bool {
        self.keepCount == retention.countLimit && self.keepMilliseconds == retention.ageMilliseconds
    }

    private init(_ statement: BoundStatement) {
        self.id = statement.int64(at: 0)
        self.epoch = Epoch(rawValue: UInt64(bitPattern: statement.int64(at: 1)))
        self.lastSeq = UInt64(statement.int64(at: 2))
        self.lastID =
            statement.isNull(at: 3)
            ? nil
            : UniqueID(
                high: UInt64(bitPattern: statement.int64(at: 3)),
                low: UInt64(bitPattern: statement.int64(at: 4))
            )
        self.oldestSeq = UInt64(statement.int64(at: 5))
        self.firstSeq = UInt64(statement.int64(at: 6))
        self.isSynced = statement.int64(at: 7) != 0
        self.keepCount = statement.int64(at: 8)
        self.keepMilliseconds = statement.int64(at: 9)
        self.lastRedaction = UInt64(statement.int64(at: 10))
        self.prunedSeq = UInt64(statement.int64(at: 11))
        self.expiredSeq = UInt64(statement.int64(at: 12))
    }
}

extension HistorySettings {
    var countLimit: Int64 { Int64(max(1, self.count)) }

    var ageMilliseconds: Int64 { self.age.wholeMilliseconds }
}
