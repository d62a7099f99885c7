import Foundation
import GRDB
import NIOCore
import RoomCore
import RoomJSON
import RoomModel

/// The publish keys of messages that were cleared: a client that sends such a message again gets the answer to the first time, and
/// the message does not come back.
///
/// The keys of one clear are a log without a row in `room`. Its messages have no text, only what the answer needs. When the keys
/// have lived long enough, it is a cleared log as any other.
enum ClearedKeys {
    /// So much longer keys stay in the file: rooms remember them by a clock of their own.
    private static let spareMilliseconds: Int64 = 60_000
    /// A clear that lies so far ahead was noted by a clock that was wrong.
    private static let mostAhead: Int64 = 24 * 3_600_000
    private static let forgottenInStep = 64

    /// - Parameter now: Unix milliseconds.
    static func keep(_ keys: [OpenedLog.KeyedEntry], of room: RoomKey, now: Int64, _ db: Database) throws {
        var entries: [LogEntry] = []
        for key in keys {
            guard let (id, tail) = key.withoutMessage else { continue }
            entries.append(LogEntry(.tombstone, seq: UInt64(entries.count + 1), id: id, key: key.key, tail: tail))
        }
        guard let newest = entries.last, try ClearedLog.hasID(db) else { return }
        let log = try ClearedLog.takeID(db)
        try BatchRow.insert(db, room: log, entries, now: now)
        try db.cachedStatement(
            sql: """
                INSERT INTO cleared_keys (id, channel, name, cleared_at, last_seq, last_high, last_low)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            log, room.channel.text, Data(room.room.text.utf8), now, Int64(newest.seq),
            Int64(bitPattern: newest.id.high), Int64(bitPattern: newest.id.low),
        ])
    }

    /// Those of messages since then, in ascending order, with the `seq` 0: their logs have ended.
    ///
    /// - Parameter time: Unix milliseconds.
    static func of(_ room: RoomKey, since time: Int64, _ db: Database) throws -> [OpenedLog.KeyedEntry] {
        var logs: [RoomLog.RecentKeys] = []
        for row in try RoomRow.fetchCleared(db, room) {
            guard logs.reduce(0, { $0 + $1.bytes }) < RoomLog.keyedBytes else { break }
            logs.append(try RoomLog(db, room: row).recentKeys(since: time))
        }
        return logs.reversed().flatMap(\.entries).map { .init(seq: 0, key: $0.key, tail: $0.tail) }
    }

    /// The rooms that have some.
    static func rooms(_ db: Database) throws -> [RoomKey] {
        try Row.fetchAll(db, sql: "SELECT DISTINCT channel, name FROM cleared_keys").compactMap { row in
            ChannelID(row["channel"] as String).map {
                RoomKey(channel: $0, room: RoomName(String(decoding: row["name"] as Data, as: UTF8.self)))
            }
        }
    }

    /// Leaves those that nobody asks for any more to the sweep.
    ///
    /// - Parameter now: Unix milliseconds.
    static func forget(at now: Int64, _ db: Database) throws {
        let old = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT id, last_seq FROM cleared_keys WHERE cleared_at NOT BETWEEN ? AND ? LIMIT ?"
            ),
            arguments: [
                now - RoomLog.keyMilliseconds - self.spareMilliseconds, now + self.mostAhead, self.forgottenInStep,
            ]
        )
        for row in old {
            try db.cachedStatement(sql: "DELETE FROM cleared_keys WHERE id = ?").execute(arguments: [row["id"] as Int64]
            )
            try ClearedLog.add(db, id: row["id"], lastSeq: UInt64(row["last_seq"] as Int64))
        }
    }
}

extension OpenedLog.KeyedEntry {
    /// The stamp of the message, and its tail with the sender and without the message; `nil` where it has none.
    fileprivate var withoutMessage: (UniqueID, ByteBuffer)? {
        var object = ByteBuffer(string: "{")
        object.writeImmutableBuffer(self.tail)
        func field(_ name: StaticString) -> ByteBuffer? {
            JSONFields.range(of: name, in: object).flatMap {
                object.getSlice(at: object.readerIndex + $0.lowerBound, length: $0.count)
            }
        }
        guard let id = JSONFields.string(of: "id", in: object).flatMap({ UniqueID($0.utf8) }),
            let sender = field("sender")
        else { return nil }
        var tail = ByteBuffer(string: "\"id\":\"\(id)\"")
        if let client = field("client_id") {
            tail.writeString(",\"client_id\":")
            tail.writeImmutableBuffer(client)
        }
        tail.writeString(",\"sender\":")
        tail.writeImmutableBuffer(sender)
        tail.writeString("}")
        return (id, tail)
    }
}
