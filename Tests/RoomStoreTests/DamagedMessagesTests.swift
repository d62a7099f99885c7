import Foundation
import GRDB
import Logging
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Bytes of messages that changed in a file which is a sound database all the same.
@Suite(.timeLimit(.minutes(5)))
struct DamagedMessagesTests {
    /// A room with messages 1 to 40 in batches of five, of which these were damaged behind SQLite's back.
    private func room(damaged seqs: [UInt64], isChecked: Bool = true) async throws -> OpenRoom {
        let room = try await StoreUnderTest.make().open()
        for first in stride(from: UInt64(1), through: 36, by: 5) { try await room.append(first...first + 4) }
        try await room.test.write { db in
            if !isChecked { try db.execute(sql: "UPDATE batch SET checksum = NULL") }
            for seq in seqs { try Self.damage(db, seq) }
        }
        return room
    }

    /// Makes a line break of a byte of the message's text.
    private static func damage(_ db: Database, _ seq: UInt64) throws {
        let text = "\"id\":\"\(String(repeating: "0", count: max(0, 2 - String(seq).count)))\(seq)\"}"
        for row in try Row.fetchAll(db, sql: "SELECT id, messages FROM batch") {
            var messages: Data = row["messages"]
            guard let place = messages.firstRange(of: Data(text.utf8)) else { continue }
            messages[place.lowerBound + 6] = 0x0a
            let id: Int64 = row["id"]
            try db.execute(sql: "UPDATE batch SET messages = ? WHERE id = ?", arguments: [messages, id])
            return
        }
        Issue.record("there is no message \(seq)")
    }

    @Test
    func `pages leave damaged batches out and name their messages`() async throws {
        let room = try await self.room(damaged: [7, 8, 21])
        let first = try await room.read(.after(0, through: 40))
        #expect(first.seqs == Array(1...5) && first.hasMore && first.lost == nil)
        let second = try await room.read(.after(5, through: 40))
        #expect(second.seqs == Array(11...20) && second.hasMore && second.lost == 6...10)
        let third = try await room.read(.after(20, through: 40))
        #expect(third.seqs == Array(26...40) && !third.hasMore && third.lost == 21...25)
        let inside = try await room.read(.after(7, through: 9))
        #expect(inside.seqs.isEmpty && !inside.hasMore && inside.lost == 8...9)
    }

    @Test
    func `pages from the end do so, too`() async throws {
        let room = try await self.room(damaged: [1, 21, 40])
        let first = try await room.read()
        #expect(first.seqs == Array(26...35) && first.hasMore && first.lost == 36...40)
        let second = try await room.read(.before(26))
        #expect(second.seqs == Array(6...20) && second.hasMore && second.lost == 21...25)
        let third = try await room.read(.before(6))
        #expect(third.seqs.isEmpty && !third.hasMore && third.lost == 1...5)
        #expect(try await room.read(.before(24), maxCount: 2).lost == 21...23)
    }

    @Test
    func `of an earlier version's file only broken messages are left out`() async throws {
        let room = try await self.room(damaged: [7, 8, 21], isChecked: false)
        #expect(try await room.read(.after(0, through: 40)).seqs == Array(1...6))
        let second = try await room.read(.after(6, through: 40))
        #expect(second.seqs == Array(9...20) && second.lost == 7...8)
        #expect(try await room.read().seqs == Array(22...40))
    }

    @Test(arguments: ["count = 200", "count = -1", "count = 0", "last_low = 7", "marks = 1", "messages = x'00'"])
    func `a damaged number is damage, too, and the file goes on`(_ change: String) async throws {
        let room = try await self.room(damaged: [])
        try await room.test.write { db in
            let id = BatchRowID(room: 1, seq: 20).rawValue
            try db.execute(sql: "UPDATE batch SET \(change) WHERE id = ?", arguments: [id])
        }
        #expect(try await room.read(.after(0, through: 40)).seqs == Array(1...15))
        #expect(try await room.read(.after(15, through: 40)).lost == 16...20)
        try await room.append(41...45)
        #expect(try await room.read(.after(20, through: 45)).seqs == Array(21...45))
        #expect(room.test.log.lines(.critical).isEmpty)
    }

    /// With a row for each ten seconds from 0 to 70, and a limit of 45 seconds: 21 is the first message that is kept.
    @Test(
        arguments: [
            "last_high = 0", "last_high = -1", "first_high = -1", "first_high = 0", "count = 200", "count = 0",
            "last_high = 0x7fffffffffffffff, first_high = 0x7fffffffffffffff",
            "marks = 1, last_high = 0x7fffffffffffffff",
        ],
        [UInt64(5), 10, 15, 20, 25, 30, 35, 40]
    )
    func `retention goes by whole batches`(_ change: String, _ seq: UInt64) async throws {
        let room = try await StoreUnderTest.make().open(age: .seconds(45))
        for first in stride(from: UInt64(1), through: 36, by: 5) {
            try await room.append(first...first + 4)
            room.test.clock.advance(by: .seconds(10))
        }
        try await room.test.write { db in
            let id = BatchRowID(room: 1, seq: seq).rawValue
            try db.execute(sql: "UPDATE batch SET \(change) WHERE id = ?", arguments: [id])
        }
        #expect(try await room.read().seqs.last == (seq == 40 ? 35 : 40))
        let kept = try await room.readAll(after: 20, through: 40)
        #expect(kept == Array(21...40).filter { !(seq - 4...seq).contains($0) })
        await room.test.store.sweep(now: room.test.clock.now)
        #expect(try await room.readAll(after: 0, through: 40) == kept)
        let left = try await room.test.write {
            try Int64.fetchAll($0, sql: "SELECT id & 0xffffffffff FROM batch ORDER BY id")
        }
        #expect(left.filter { $0 != seq } == [25, 30, 35, 40].filter { $0 != seq } && left.allSatisfy { $0 >= 25 })
    }

    @Test
    func `a batch that is gone is damage`() async throws {
        let room = try await self.room(damaged: [])
        try await room.test.write { try $0.execute(sql: "DELETE FROM batch WHERE id & 0xffffffff IN (20, 40)") }
        #expect(try await room.read(.after(15, through: 40)).lost == 16...20)
        #expect(try await room.read().lost == 36...40)
    }

    @Test
    func `each place is logged once`() async throws {
        let room = try await self.room(damaged: [7, 21])
        for _ in 1...3 {
            _ = try await room.read(.after(5, through: 40))
            _ = try await room.read(.after(20, through: 40))
        }
        await room.test.store.checkIntegrity()
        #expect(room.test.log.lines(.error).count == 2)
        let line = try #require(room.test.log.lines(.error).first)
        #expect(line.metadata["lost.from_seq"] == "6" && line.metadata["lost.to_seq"] == "10")
        #expect(room.test.log.lines(.info).isEmpty)
    }

    @Test(arguments: [true, false])
    func `a look through the file finds all places`(_ isChecked: Bool) async throws {
        let room = try await self.room(damaged: [1, 21, 22, 40], isChecked: isChecked)
        let other = try await room.test.open("other")
        try await other.append(1...3)
        let found = try await room.test.write { try DamagedMessages.find($0) }
        #expect(found.map(\.seqs) == (isChecked ? [1...5, 21...25, 36...40] : [1...1, 21...22, 40...40]))
        #expect(try found.allSatisfy { try $0.room == RoomKey.make("room") })
        #expect(try StoredFile.history(room.test.directory.file("history.sqlite")).damaged == found)
    }

    @Test
    func `a message beside a redacted one has a checksum still`() async throws {
        let room = try await self.room(damaged: [])
        let old = LogEntry.make(12, sentAt: room.test.clock.now)
        let redaction = LogEntry(
            .redaction,
            seq: 41,
            id: LogEntry.make(41, sentAt: room.test.clock.now).id,
            tail: LogEntry.make(41, sentAt: 0).tail
        )
        let batch = LogBatch(
            log: room.opened.log,
            retention: room.retention,
            durability: .process,
            entries: [redaction],
            tombstones: [Tombstone(seq: 12, id: old.id, tail: LogEntry.make(99, sentAt: 0).tail)]
        )
        try await withCheckedContinuation { continuation in
            room.test.store.append(batch) { continuation.resume(returning: $0.map { _ in }) }
        }.get()
        let page = try await room.read(.after(10, through: 41))
        #expect(page.seqs == Array(11...41) && page.entries[1].kind == .tombstone)
        try await room.test.write { try Self.damage($0, 13) }
        #expect(try await room.read(.after(10, through: 41)).lost == 11...15)
    }

    @Test
    func `a file without checksums gets them for what is new`() async throws {
        let room = try await self.room(damaged: [])
        await room.test.store.close()
        let database = try DatabaseQueue(path: room.test.directory.file("history.sqlite"))
        try await database.write { db in
            try db.execute(sql: "ALTER TABLE batch DROP COLUMN checksum")
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '0007-history'")
        }
        #expect(try StoredFile.history(room.test.directory.file("history.sqlite")).damaged.isEmpty)
        try database.close()
        let again = try await StoreUnderTest.make(in: room.test.directory, clock: room.test.clock).open()
        try await again.append(41...45)
        #expect(try await again.read().seqs == Array(1...45))
        let checked = try await again.test.write { try Int.fetchOne($0, sql: "SELECT count(checksum) FROM batch") }
        #expect(checked == 1)
    }
}

extension OpenRoom {
    /// As a client reads that comes back: a page after the other.
    fileprivate func readAll(after first: UInt64, through last: UInt64) async throws -> [UInt64] {
        var (seqs, after, hasMore) = ([UInt64](), first, true)
        while hasMore, after < last {
            let page = try await self.read(.after(after, through: last))
            seqs += page.seqs
            after = max(page.seqs.last ?? 0, page.lost?.upperBound ?? 0, after + 1)
            hasMore = page.hasMore
        }
        return seqs
    }
}
