import Foundation
import GRDB
import Logging
import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Files in which each message had a row of its own.
@Suite(.timeLimit(.minutes(5)))
struct BatchMigrationTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    /// A file of the release before, with as many messages in each of its rooms.
    private func makeOldFile(rooms: Int, messages: UInt64) throws {
        let database = try DatabaseQueue(path: self.directory.file("history.sqlite"))
        try HistorySchema.migrator.migrate(database, upTo: "0004-history")
        try database.write { db in
            try db.execute(sql: "INSERT INTO meta VALUES (1, 'f', 'boot 1', 1, 7)")
            for room in 1...Int64(rooms) { try self.insert(db, room, messages) }
        }
        try database.close()
    }

    private func insert(_ db: Database, _ room: Int64, _ messages: UInt64) throws {
        for seq in 1...messages {
            let entry = self.entry(seq)
            var key: Data?
            entry.key?.withStoredBytes { key = Data($0) }
            try db.cachedStatement(
                sql: "INSERT INTO message (id, stamp_high, stamp_low, key, tail, kind) VALUES (?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                BatchRowID(room: room, seq: seq).rawValue, Int64(bitPattern: entry.id.high),
                Int64(bitPattern: entry.id.low), key, Data(entry.tail.readableBytesView), entry.kind.rawValue,
            ])
        }
        let last = self.entry(messages).id
        try db.execute(
            sql: """
                INSERT INTO room (id, channel, name, epoch, last_seq, last_high, last_low, is_synced, keep_count,
                    keep_milliseconds, last_redaction)
                VALUES (?, 'test', ?, ?, ?, ?, ?, 0, 1000000, 3600000, 10)
                """,
            arguments: [
                room, "room \(room)", room, Int64(messages), Int64(bitPattern: last.high), Int64(bitPattern: last.low),
            ]
        )
    }

    private func entry(_ seq: UInt64) -> LogEntry {
        var entry = LogEntry.make(
            seq,
            sentAt: self.clock.now + Int64(seq >> 12),
            keyed: seq.isMultiple(of: 3),
            bytes: seq.isMultiple(of: 100) ? 30_000 : 20
        )
        if seq == 9 { entry.kind = .tombstone }
        if seq == 10 { entry.kind = .redaction }
        return entry
    }

    /// Begins to take the messages over.
    private func migrate(steps: Int) throws {
        let database = try DatabaseQueue(path: self.directory.file("history.sqlite"))
        try HistorySchema.migrator.migrate(database, upTo: HistorySchema.withBatches)
        for _ in 0..<steps { #expect(try database.writeWithoutTransaction { try BatchMigration.step($0) } > 0) }
        try database.close()
    }

    private func expectAll(_ test: StoreUnderTest, rooms: Int, messages: UInt64) async throws {
        let entries = (1...messages).map(self.entry)
        for number in 1...rooms {
            let room = try await test.open("room \(number)")
            #expect(room.opened.epoch == Epoch(rawValue: UInt64(number)))
            #expect(room.opened.lastSeq == messages)
            #expect(room.opened.redactions == RedactionIndex(unknownThrough: 10))
            let keyed = entries.filter { $0.key != nil }
            #expect(room.opened.recentKeys.map(\.seq) == keyed.map(\.seq))
            #expect(room.opened.recentKeys.map(\.key) == keyed.map(\.key))
            let page = try await room.read(maxCount: .max, maxBytes: .max)
            #expect(page.entries == entries.map { LogEntry($0.kind, seq: $0.seq, id: $0.id, tail: $0.tail) })
            try await room.append(messages + 1...messages + 2)
        }
    }

    @Test
    func `all messages are taken over with their keys and kinds`() async throws {
        try self.makeOldFile(rooms: 3, messages: 3_000)
        let reports = NIOLockedValueBox<[MigrationProgress]>([])
        let test = try StoreUnderTest.make(in: self.directory, clock: self.clock) { progress in
            reports.withLockedValue { $0.append(progress) }
        }
        try await self.expectAll(test, rooms: 3, messages: 3_000)
        #expect(
            reports.withLockedValue { $0 } == [
                .counting, .moved(0, of: 9_000), .moved(4_096, of: 9_000), .moved(8_192, of: 9_000),
                .moved(9_000, of: 9_000),
            ]
        )
        #expect(try await test.storedMessages() == 3 * 3_002)
        #expect(try await test.write { try !$0.tableExists("message") })
        // A row has no more than was read in one piece before.
        let most = try await test.write { try Int.fetchOne($0, sql: "SELECT max(length(messages)) FROM batch") ?? 0 }
        #expect(most < 64 << 10)
    }

    @Test(arguments: [1, 2, 3, 5])
    func `what ended in the middle goes on`(_ steps: Int) async throws {
        try self.makeOldFile(rooms: 3, messages: 6_000)
        try self.migrate(steps: steps)
        let test = try StoreUnderTest.make(in: self.directory, clock: self.clock)
        try await self.expectAll(test, rooms: 3, messages: 6_000)
    }

    @Test
    func `a new file is not told to be old`() throws {
        _ = try StoreUnderTest.make(in: self.directory) { Issue.record("\($0)") }
    }

    @Test
    func `a log with a hole, which nobody should have, keeps what it has`() async throws {
        try self.makeOldFile(rooms: 1, messages: 50)
        let database = try DatabaseQueue(path: self.directory.file("history.sqlite"))
        try await database.write { db in
            try db.execute(sql: "DELETE FROM message WHERE id & 1023 BETWEEN 20 AND 29")
        }
        try database.close()
        let room = try await StoreUnderTest.make(in: self.directory, clock: self.clock).open("room 1")
        #expect(try await room.read().seqs == Array(30...50))
        let older = try await room.read(.before(30))
        #expect(older.seqs == Array(1...19) && older.lost == 20...29)
        #expect(try await room.read(.after(22, through: 25)).seqs == [])
        #expect(try await room.read(.after(10, through: 25)).seqs == Array(11...19))
    }

    @Test
    func `a message that is redacted later has no copy in what was freed`() async throws {
        try self.makeOldFile(rooms: 1, messages: 3_000)
        let test = try StoreUnderTest.make(in: self.directory, clock: self.clock)
        let room = try await test.open("room 1")
        var redaction = LogEntry.make(3_001, sentAt: self.clock.now + 1)
        redaction.kind = .redaction
        let batch = LogBatch(
            log: room.opened.log,
            retention: room.retention,
            durability: .process,
            entries: [redaction],
            tombstones: [Tombstone(seq: 700, id: self.entry(700).id, tail: ByteBuffer(string: "gone"))]
        )
        _ = try await withCheckedContinuation { continuation in
            test.store.append(batch) { continuation.resume(returning: $0) }
        }.get()
        await test.store.close()
        // The end of a long text, which no other message has.
        let text = Data((String(repeating: "0", count: 100) + "700").utf8)
        let file = try Data(contentsOf: URL(filePath: self.directory.file("history.sqlite")))
        #expect(file.firstRange(of: text) == nil)
        #expect(file.firstRange(of: Data((String(repeating: "0", count: 100) + "800").utf8)) != nil)
    }

    @Test
    func `a row id that no broker has written is damage`() async throws {
        try self.makeOldFile(rooms: 1, messages: 10)
        let database = try DatabaseQueue(path: self.directory.file("history.sqlite"))
        try await database.write { try $0.execute(sql: "UPDATE message SET id = -7 WHERE id & 1023 = 4") }
        try database.close()
        let test = try StoreUnderTest.make(in: self.directory, clock: self.clock)
        #expect(test.log.lines(.critical).count == 1)
        #expect(try await test.open("room 1").opened.lastSeq == 0)
    }
}
