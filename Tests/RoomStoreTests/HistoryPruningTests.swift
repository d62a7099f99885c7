import GRDB
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Deleting the oldest messages at the word of an operator.
@Suite(.timeLimit(.minutes(5)))
struct HistoryPruningTests {
    private func prune(
        _ test: StoreUnderTest,
        _ room: String = "room",
        keep: UInt64? = nil,
        olderThan age: Duration? = nil,
        atMost limit: UInt64 = .max
    ) async throws -> PruneReceipt {
        let bound = PruneBound(count: keep, ageMilliseconds: age.map { Int64($0 / .milliseconds(1)) })
        return try await test.store.prune(.make(room), keeping: bound, atMost: limit)
    }

    /// A row for each ten messages, ten seconds between the rows.
    private func room(_ test: StoreUnderTest, _ name: String = "room", rows: UInt64 = 10) async throws -> OpenRoom {
        let room = try await test.open(name)
        for row in 0..<rows {
            test.clock.advance(by: .seconds(10))
            try await room.append(row * 10 + 1...row * 10 + 10)
        }
        test.clock.advance(by: .seconds(10))
        return room
    }

    private func seqs(_ room: OpenRoom) async throws -> [UInt64] { try await room.read().entries.map(\.seq) }

    @Test(arguments: StoreKind.allCases)
    func `only so many of the newest are kept`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let room = try await self.room(test)
        let receipt = try await self.prune(test, keep: 25)
        #expect(receipt.messages == 75 && !receipt.hasMore)
        #expect(receipt.place == Position(epoch: room.opened.epoch, seq: 75))
        #expect(try await self.seqs(room) == Array(76...100))
        // the row of 71 to 80 stays
        #expect(try await test.storedMessages() == 30)
        #expect(try await self.prune(test, keep: 25) == PruneReceipt())
    }

    @Test(arguments: StoreKind.allCases)
    func `what is older goes, and what both limits exclude`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let room = try await self.room(test)
        #expect(try await self.prune(test, olderThan: .seconds(60)).messages == 40)
        #expect(try await self.seqs(room) == Array(41...100))
        #expect(try await self.prune(test, keep: 1_000, olderThan: .seconds(50)).messages == 10)
        #expect(try await self.prune(test, keep: 5, olderThan: .seconds(50)).messages == 45)
        #expect(try await self.seqs(room) == Array(96...100))
    }

    @Test func `the bytes are those of the rows that are gone`() async throws {
        let test = try StoreUnderTest.make()
        _ = try await self.room(test)
        let before = try await self.bytes(test)
        let receipt = try await self.prune(test, keep: 25)
        #expect(receipt.bytes == before - (try await self.bytes(test)) && receipt.bytes > 0)
        let bound = PruneBound(count: 5)
        let expected = try await test.store.prunable(.make("room"), keeping: bound)
        #expect(expected.messages == 20 && !expected.isEstimate && expected.bytes > 0)
        #expect(try await test.storedMessages() == 30)
    }

    private func bytes(_ test: StoreUnderTest) async throws -> UInt64 {
        try await test.write { try UInt64.fetchOne($0, sql: "SELECT sum(length(messages)) FROM batch") ?? 0 }
    }

    @Test(arguments: StoreKind.allCases)
    func `numbers and the epoch are as before, also when everything is gone`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let room = try await self.room(test)
        #expect(try await self.prune(test, keep: 0).messages == 100)
        #expect(try await self.seqs(room).isEmpty)
        let again = try await test.open()
        #expect(again.opened.epoch == room.opened.epoch && again.opened.lastSeq == 100)
        #expect(again.opened.oldestSeq == 101 && again.opened.prunedThrough == 100)
        #expect(try await room.append(101...101).oldestSeq == 101)
        #expect(try await self.seqs(room) == [101])
    }

    @Test func `a read that was asked before finds nothing of it, and says that it was trimmed`() async throws {
        let test = try StoreUnderTest.make()
        let room = try await test.open()
        // their keys are remembered, so their rows are still there
        try await room.append(1...10, keyed: true)
        try await room.append(11...20, keyed: true)
        #expect(try await self.prune(test, keep: 5).messages == 15)
        let page = try await room.read(.after(5, through: 18), newest: 18)
        #expect(page.entries.map(\.seq) == [16, 17, 18] && !page.hasExpired && page.oldestSeq == 16)
        #expect(try await test.storedMessages() == 20)
    }

    @Test func `a long log is pruned in parts`() async throws {
        let test = try StoreUnderTest.make()
        let room = try await test.open()
        for start in stride(from: UInt64(1), to: 5_000, by: 250) { try await room.append(start...start + 249) }
        test.clock.advance(by: .seconds(10))
        let part = try await self.prune(test, keep: 0, atMost: 1_500)
        #expect(part.messages == 1_500 && part.hasMore && part.place?.seq == 1_500)
        let rest = try await self.prune(test, keep: 0)
        #expect(rest.messages == 3_500 && !rest.hasMore)
        #expect(try await test.storedMessages() == 0)
    }

    @Test func `a prune that fails on the way says how far it came`() async throws {
        let test = try StoreUnderTest.make()
        let room = try await test.open()
        for start in stride(from: UInt64(1), to: 5_000, by: 250) { try await room.append(start...start + 249) }
        test.clock.advance(by: .seconds(10))
        try await test.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER full BEFORE UPDATE ON room WHEN NEW.pruned_seq > 2048
                    BEGIN SELECT RAISE(ABORT, 'no more'); END
                    """
            )
        }
        let part = try await self.prune(test, keep: 0)
        #expect(part.failure != nil && part.hasMore && part.messages == 2_048 && part.place?.seq == 2_048)
        await #expect(throws: EngineError.self) { try await self.prune(test, keep: 0) }
        try await test.write { try $0.execute(sql: "DROP TRIGGER full") }
        let rest = try await self.prune(test, keep: 0)
        #expect(rest.failure == nil && rest.messages == 2_952)
    }

    @Test func `a publish key that is remembered keeps its row until it is forgotten`() async throws {
        let test = try StoreUnderTest.make()
        let room = try await test.open()
        try await room.append(1...10, keyed: true)
        test.clock.advance(by: .seconds(10))
        #expect(try await self.prune(test, keep: 0).messages == 10)
        #expect(try await self.seqs(room).isEmpty)
        #expect(try await test.storedMessages() == 10)
        test.clock.advance(by: .seconds(11 * 60))
        await test.store.sweep(now: test.clock.now)
        #expect(try await test.storedMessages() == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a room of which nothing is stored has nothing to prune`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        #expect(try await self.prune(test, "nowhere", keep: 0) == PruneReceipt())
        await test.store.close()
        await #expect(throws: EngineError.unavailable) { try await self.prune(test, keep: 0) }
    }

    @Test func `a file of the version before is taken over`() async throws {
        let directory = try TemporaryDirectory()
        let database = try DatabaseQueue(path: directory.file("history.sqlite"))
        try HistorySchema.migrator.migrate(database, upTo: HistorySchema.withoutMessages)
        try database.close()
        let test = try StoreUnderTest.make(in: directory)
        let room = try await self.room(test)
        #expect(try await self.prune(test, keep: 1).messages == 99)
        #expect(try await self.seqs(room) == [100])
    }
}
