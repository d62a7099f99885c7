import GRDB
import Logging
import NIOCore
import RoomCore
import RoomModel
import Synchronization
import Testing

@testable import RoomStore

/// What becomes of the rows of cleared logs, and what the store tells of itself.
@Suite(.timeLimit(.minutes(5)))
struct HistoryClearTests {
    @Test(arguments: StoreKind.allCases)
    func `rows of a cleared log are deleted by the sweep`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        let other = try await room.test.open("other")
        try await room.append(1...5_000)
        try await other.append(1...7)
        try await room.test.clear("room")
        #expect(try await room.test.storedMessages() == 5_007)
        await room.test.store.sweep(now: room.test.clock.now)
        #expect(try await room.test.storedMessages() == 7)
        #expect(try await other.read().seqs == Array(1...7))
    }

    @Test
    func `the keys of a cleared log outlive it and the broker for ten minutes, without the text`() async throws {
        let room = try await StoreUnderTest.make().open()
        let (test, clock) = (room.test, room.test.clock)
        let entries = (1...300 as ClosedRange<UInt64>).map { LogEntry.keyed($0, as: $0, sentAt: clock.now) }
        try await room.append(entries)
        try await test.clear("room")
        await test.store.sweep(now: clock.now)
        #expect(try await test.storedMessages() == 300)
        let texts = "SELECT count(*) FROM batch WHERE instr(CAST(messages AS TEXT), 'hello') > 0"
        #expect(try await test.write { try Int.fetchOne($0, sql: texts) } == 0)
        await test.store.close()
        let again = try StoreUnderTest.make(in: test.directory, clock: clock)
        for name in ["room", "other"] {
            let keys = try await again.open(name).opened.recentKeys
            #expect(keys.map(\.key.id.low) == (name == "room" ? Array(1...300) : []))
            #expect(keys.allSatisfy { $0.seq == 0 })
            #expect(
                keys.map(\.tail) == (name == "room" ? entries.map { .init(string: LogEntry.senderTail($0.id)) } : [])
            )
        }
        clock.advance(by: .seconds(601))
        await again.store.sweep(now: clock.now)
        #expect(try await again.open().opened.recentKeys.isEmpty)
        clock.advance(by: .seconds(60))
        await again.store.sweep(now: clock.now)
        #expect(try await again.storedMessages() == 0)
        #expect(try await again.count("cleared_keys") == 0)
        #expect(try await again.count("cleared_log") == 0)
        try await again.open().append(1...1)
        #expect(try await again.count("free_log") == 1)
    }

    @Test
    func `rooms with many keys are cleared in several steps, all of them`() async throws {
        let test = try StoreUnderTest.make()
        let names = (0..<12).map { "room \($0)" }
        for name in names {
            let room = try await test.open(name)
            try await room.append(
                (1...40 as ClosedRange<UInt64>).map { .keyed($0, as: $0, sentAt: test.clock.now, bytes: 40_000) }
            )
        }
        try await test.clear(names)
        #expect(try await test.count("room") == 0)
        #expect(try await test.count("cleared_keys") == 12)
    }

    @Test(arguments: StoreKind.allCases)
    func `an id is given again only when its rows are gone, and old names of it stay void`(
        _ kind: StoreKind
    ) async throws {
        let test = try StoreUnderTest.make(kind)
        let first = try await test.open("a")
        try await first.append(1...3_000)
        try await test.clear("a")
        let second = try await test.open("b")
        try await second.append(1...3)
        #expect(try await test.rowID("b") == 2)
        await test.store.sweep(now: test.clock.now)
        let third = try await test.open("c")
        try await third.append(1...5)
        #expect(try await test.rowID("c") == 1)
        await #expect(throws: EngineError.reset) { try await first.append(3_001...3_001) }
        await #expect(throws: EngineError.reset) { try await first.append(6...6) }
        await #expect(throws: EngineError.reset) { try await first.read() }
        #expect(try await third.read().seqs == [1, 2, 3, 4, 5])
        #expect(try await second.read().seqs == [1, 2, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `clearing again and again does not use up ids`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        try await test.open("other").append(1...1)
        for _ in 0..<20 {
            try await test.open("room").append(1...3)
            try await test.clear("room")
            await test.store.sweep(now: test.clock.now)
        }
        try await test.open("room").append(1...1)
        #expect(try await test.rowID("room") == 2)
    }

    @Test
    func `a clear survives a kill, whole, with its rows deleted in part`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...5_000)
        try await room.test.clear("room")
        _ = try await room.test.write { try ClearedLog.sweep($0) }
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy)
        let again = try await StoreUnderTest.make(in: copy).open()
        #expect(again.opened.lastSeq == 0)
        #expect(again.opened.epoch != room.opened.epoch)
        try await again.append(1...10)
        #expect(try await again.test.rowID("room") == 2)
        let left = try await again.test.storedMessages()
        #expect((11..<5_010).contains(left))
        await again.test.store.sweep(now: again.test.clock.now)
        #expect(try await again.test.storedMessages() == 10)
        #expect(try await again.read().seqs == Array(1...10))
    }

    @Test
    func `a clear survives a power cut`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...50)
        try await room.test.clear("room")
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy)
        let again = try await StoreUnderTest.make(in: copy, bootID: "boot 2").open()
        #expect(again.opened.lastSeq == 0)
        #expect(try await again.read().seqs == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a room lives on while its earlier messages are deleted`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        for _ in 0..<5 {
            let room = try await test.open()
            async let swept: Void = test.store.sweep(now: test.clock.now)
            for first in stride(from: UInt64(1), through: 2_901, by: 100) {
                try await room.append(first...first + 99)
            }
            #expect(try await room.read(maxCount: 5_000).seqs == Array(1...3_000))
            await swept
            try await test.clear("room")
        }
        await test.store.sweep(now: test.clock.now)
        #expect(try await test.storedMessages() == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `trimmed and expired messages are not found`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 10, age: .seconds(60))
        try await room.append(1...500)
        let ids = (1...500).map { LogEntry.make($0, sentAt: room.test.clock.now).id }
        #expect(try await room.find(ids[489]) == nil)
        #expect(try await room.find(ids[490]) == 491)
        #expect(try await room.find(ids[499]) == 500)
        room.test.clock.advance(by: .seconds(61))
        #expect(try await room.find(ids[499]) == nil)
    }

    @Test
    func `commits of messages are observed, others are not`() async throws {
        let observer = CommitCollector()
        let test = try StoreUnderTest.make(observer: observer)
        let room = try await test.open()
        try await room.append(1...5, bytes: 100)
        await #expect(throws: EngineError.unavailable) { try await room.append(9...9) }
        try await test.clear("room")
        await test.store.sweep(now: test.clock.now)
        await test.store.close()
        let commits = observer.commits
        #expect(commits.map(\.entries) == [5])
        #expect(commits.map(\.batches) == [1])
        #expect(commits.map(\.bytes) == [500])
        #expect(commits.allSatisfy { $0.nanoseconds > 0 })
    }

    @Test
    func `a file that is read-only refuses appends, serves reads and tells that it is not writable`() async throws {
        let room = try await StoreUnderTest.make().open()
        let store = room.test.store
        try await room.append(1...3)
        #expect(store.isWritable)
        try await room.test.setReadOnly(true)
        await #expect(throws: EngineError.unavailable) { try await room.append(4...4) }
        await #expect(throws: EngineError.unavailable) { try await room.test.clear("room") }
        await #expect(throws: EngineError.unavailable) { try await room.test.open("new").append(1...1) }
        #expect(!store.isWritable)
        #expect(try await room.read().seqs == [1, 2, 3])
        #expect(try await room.reopened().opened.epoch == room.opened.epoch)
        await store.sweep(now: room.test.clock.now)
        #expect(!store.isWritable)
        #expect(room.test.log.lines(.error).count == 1)
        try await room.test.setReadOnly(false)
        await store.sweep(now: room.test.clock.now)
        #expect(store.isWritable)
        #expect(room.test.log.lines(.notice).map(\.text) == ["history is stored again"])
        try await room.append(4...4)
        await store.close()
        #expect(!store.isWritable)
    }

    @Test
    func `a history of the release before is taken over`() async throws {
        let directory = try TemporaryDirectory()
        let database = try DatabaseQueue(path: directory.file("history.sqlite"))
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-history") { try $0.execute(sql: HistorySchema.history0001) }
        try migrator.migrate(database)
        try await database.write { db in
            try db.execute(sql: "INSERT INTO meta VALUES (1, 'f', 'boot 1', 1)")
            try db.execute(
                sql: """
                    INSERT INTO room (id, channel, name, epoch, last_seq, is_synced, keep_count, keep_milliseconds)
                    VALUES (5, 'test', 'room', -3, 0, 0, 9, 9)
                    """
            )
        }
        try database.close()
        let test = try StoreUnderTest.make(in: directory)
        let room = try await test.open()
        #expect(room.opened.epoch == Epoch(rawValue: UInt64(bitPattern: -3)))
        try await room.append(1...3)
        #expect(try await room.read().seqs == [1, 2, 3])
        try await test.open("other").append(1...1)
        #expect(try await test.rowID("other") == 6)
    }
}

extension StoreUnderTest {
    func clear(_ rooms: String...) async throws { try await self.clear(rooms) }

    func clear(_ rooms: [String]) async throws {
        let keys = try rooms.map { try RoomKey.make($0) }
        try await withCheckedContinuation { continuation in
            self.store.clear(keys) { continuation.resume(returning: $0) }
        }.get()
    }

    /// What a file system that is mounted read-only makes of every write.
    func setReadOnly(_ isReadOnly: Bool) async throws {
        try await self.store.supervisor.current.file?.writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA query_only = \(isReadOnly ? 1 : 0)")
        }
    }
}

extension OpenRoom {
    func find(_ id: UniqueID) async throws -> UInt64? {
        try await withCheckedContinuation { continuation in
            self.test.store.find(id, in: self.opened.log) { continuation.resume(returning: $0) }
        }.get()
    }
}

private final class CommitCollector: CommitObserver {
    private let collected = Mutex<[ObservedCommit]>([])

    var commits: [ObservedCommit] { self.collected.withLock { $0 } }

    func committed(_ commit: ObservedCommit) {
        self.collected.withLock { $0.append(commit) }
    }
}
