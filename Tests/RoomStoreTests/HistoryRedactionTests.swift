import Foundation
import GRDB
import NIOCore
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// What redactions leave in the file.
@Suite(.timeLimit(.minutes(5)))
struct HistoryRedactionTests {
    private static let secret = "the secret that was said"

    /// - Parameter bytes: of the text; many have pages of their own.
    private static func entry(_ seq: UInt64, _ room: OpenRoom, bytes: Int) -> LogEntry {
        var entry = LogEntry.make(seq, sentAt: room.test.clock.now)
        entry.tail = ByteBuffer(string: String(repeating: Self.secret, count: bytes / Self.secret.utf8.count + 1))
        return entry
    }

    @Test(arguments: [100, 3_000, 60_000])
    func `a closed file has nothing of a redacted text`(bytes: Int) async throws {
        let directory = try TemporaryDirectory()
        let test = try StoreUnderTest.make(in: directory)
        let room = try await test.open()
        let entry = Self.entry(50, room, bytes: bytes)
        try await room.append(1...49, bytes: 300)
        try await room.append([entry])
        try await room.append(51...99, bytes: 300)
        try await room.append(
            [room.redaction(100)],
            [Tombstone(seq: 50, id: entry.id, tail: ByteBuffer(string: "gone"))]
        )
        // other deletions leave free pages as they are
        #expect(try await test.write { try Int.fetchOne($0, sql: "PRAGMA secure_delete") } == 2)
        #expect(try await room.read().entries[49].kind == .tombstone)
        await test.store.close()
        for name in ["history.sqlite", "history.sqlite-wal"] {
            let path = directory.file(name)
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let file = try Data(contentsOf: URL(filePath: path))
            #expect(file.firstRange(of: Data(Self.secret.utf8)) == nil, "in \(name)")
        }
    }

    @Test
    func `a redaction outlives the store`() async throws {
        let directory = try TemporaryDirectory()
        let test = try StoreUnderTest.make(in: directory)
        let room = try await test.open()
        try await room.append(1...3)
        let id = try await room.read().entries[0].id
        try await room.append([room.redaction(4)], [Tombstone(seq: 1, id: id, tail: ByteBuffer(string: "gone"))])
        await test.store.close()
        let again = try await StoreUnderTest.make(in: directory, clock: test.clock).open()
        #expect(try await again.read().entries.map(\.kind) == [.tombstone, .message, .message, .redaction])
        #expect(again.opened.redactions.seqs == [4])
    }

    @Test
    func `of long logs the redactions behind the newest two thousand are not looked for`() async throws {
        let room = try await StoreUnderTest.make(.memory).open()
        try await room.append(1...9)
        try await room.append([room.redaction(10)])
        try await room.append(11...1_999)
        #expect(try await room.reopened().opened.redactions == RedactionIndex(seqs: [10]))
        try await room.append(2_000...2_500)
        #expect(try await room.reopened().opened.redactions == RedactionIndex(unknownThrough: 10))
        try await room.append([room.redaction(2_501)])
        #expect(try await room.reopened().opened.redactions == RedactionIndex(unknownThrough: 501, seqs: [2_501]))
    }

    @Test
    func `a cleared room has no redactions any more`() async throws {
        let room = try await StoreUnderTest.make(.memory).open()
        try await room.append([room.redaction(1)])
        try await room.test.clear("room")
        #expect(try await room.reopened().opened.redactions == RedactionIndex())
    }

    @Test
    func `messages of the release before are taken over and can be redacted`() async throws {
        let directory = try TemporaryDirectory()
        let database = try DatabaseQueue(path: directory.file("history.sqlite"))
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-history") { try $0.execute(sql: HistorySchema.history0001) }
        migrator.registerMigration("0002-history") { try $0.execute(sql: HistorySchema.history0002) }
        try migrator.migrate(database)
        let clock = ManualClock()
        let entries = (1...3).map { LogEntry.make($0, sentAt: clock.now) }
        try await database.write { db in
            try db.execute(sql: "INSERT INTO meta VALUES (1, 'f', 'boot 1', 1)")
            try db.execute(
                sql: """
                    INSERT INTO room (id, channel, name, epoch, last_seq, last_high, last_low, is_synced, keep_count,
                        keep_milliseconds)
                    VALUES (1, 'test', 'room', 7, 3, ?, ?, 0, 1000000, 3600000)
                    """,
                arguments: [Int64(bitPattern: entries[2].id.high), Int64(bitPattern: entries[2].id.low)]
            )
            for entry in entries {
                try db.execute(
                    sql: "INSERT INTO message (id, stamp_high, stamp_low, tail) VALUES (?, ?, ?, ?)",
                    arguments: [
                        BatchRowID(room: 1, seq: entry.seq).rawValue, Int64(bitPattern: entry.id.high),
                        Int64(bitPattern: entry.id.low), Data(entry.tail.readableBytesView),
                    ]
                )
            }
        }
        try database.close()
        let room = try await StoreUnderTest.make(in: directory, clock: clock).open()
        #expect(room.opened.epoch == Epoch(rawValue: 7))
        #expect(room.opened.redactions == RedactionIndex())
        #expect(try await room.read().entries == entries)
        let tombstone = Tombstone(seq: 2, id: entries[1].id, tail: LogEntry.make(9, sentAt: 0).tail)
        try await room.append([room.redaction(4)], [tombstone])
        #expect(try await room.read().entries.map(\.kind) == [.message, .tombstone, .message, .redaction])
    }
}

extension OpenRoom {
    fileprivate func redaction(_ seq: UInt64) -> LogEntry {
        var entry = LogEntry.make(seq, sentAt: self.test.clock.now)
        entry.kind = .redaction
        return entry
    }

    fileprivate func append(_ entries: [LogEntry], _ tombstones: [Tombstone] = []) async throws {
        let batch = LogBatch(
            log: self.opened.log,
            retention: self.retention,
            durability: self.durability,
            entries: entries,
            tombstones: tombstones
        )
        _ = try await withCheckedContinuation { continuation in
            self.test.store.append(batch) { continuation.resume(returning: $0) }
        }.get()
    }
}
