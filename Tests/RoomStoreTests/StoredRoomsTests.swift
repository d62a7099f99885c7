import Dispatch
import GRDB
import Logging
import NIOConcurrencyHelpers
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Which rooms have rows in the history, from their first message until they are retired.
@Suite(.timeLimit(.minutes(5)))
struct StoredRoomsTests {
    private static let day: Duration = .seconds(24 * 3_600)

    @Test(arguments: StoreKind.allCases)
    func `nothing is stored of a room before its first message`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let room = try await test.open()
        #expect(try await room.read().seqs == [])
        let again = try await test.open()
        #expect(again.opened == room.opened)
        #expect(try await test.count("room") == 0)
        try await room.append(1...1)
        #expect(try await test.count("room") == 1)
        let stored = try await test.open()
        #expect(stored.opened.epoch == room.opened.epoch)
        try await stored.append(2...2)
        // under its first name, too
        try await room.append(3...3)
        #expect(try await room.read().seqs == [1, 2, 3])
    }

    @Test func `a room that is still empty has the same epoch after a restart, another one after a power cut`()
        async throws
    {
        let test = try StoreUnderTest.make()
        let epoch = try await test.open().opened.epoch
        await test.store.close()
        let again = try StoreUnderTest.make(in: test.directory, bootID: "boot 2")
        #expect(try await again.open().opened.epoch == epoch)
        try await again.open("other").append(1...1)
        let copy = try TemporaryDirectory()
        try test.directory.copyHistory(to: copy)
        #expect(try await StoreUnderTest.make(in: copy, bootID: "boot 3").open().opened.epoch != epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `a clear begins another log of a room of which nothing is stored`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let (room, other) = (try await test.open(), try await test.open("other"))
        try await test.clear("room")
        await #expect(throws: EngineError.reset) { try await room.append(1...1) }
        await #expect(throws: EngineError.reset) { try await room.read() }
        #expect(try await test.open().opened.epoch != room.opened.epoch)
        try await other.append(1...1)
        #expect(try await other.read().seqs == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `a log that is open and empty keeps its epoch, whatever is cleared or retired`(_ kind: StoreKind) async throws
    {
        let test = try StoreUnderTest.make(kind)
        let room = try await test.open()
        try await test.clear("other")
        #expect(try await test.reseed() != nil)
        #expect(try await test.open().opened == room.opened)
        try await room.append(1...1)
        try await test.clear("room")
        let next = try await test.open()
        #expect(next.opened.epoch != room.opened.epoch)
        test.close("room")
        #expect(try await test.reseed() != nil)
        #expect(try await test.open().opened.epoch != next.opened.epoch)
    }

    @Test func `a clear of very many rooms ends none of the others`() async throws {
        let test = try StoreUnderTest.make(.memory)
        let room = try await test.open()
        let others = try (0..<10_100).map { try RoomKey.make("other \($0)") }
        try await withCheckedContinuation { continuation in
            test.store.clear(others) { continuation.resume(returning: $0) }
        }.get()
        try await room.append(1...1)
        #expect(try await test.open().opened.epoch == room.opened.epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `no log begins in a room that was closed meanwhile`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let room = try await test.open()
        let stored = try await test.open("stored")
        try await stored.append(1...1)
        test.close("room")
        test.close("stored")
        await #expect(throws: EngineError.reset) { try await room.append(1...1) }
        #expect(try await room.read().seqs == [])
        try await stored.append(2...2)
        #expect(try await test.count("room") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `rooms that are empty, old and unused are retired`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        var epochs: [Epoch] = []
        for number in 0..<300 {
            let room = try await test.open("room \(number)", age: Self.day)
            try await room.append(1...3, keyed: number % 2 == 0)
            epochs.append(room.opened.epoch)
            if number != 7 { test.close("room \(number)") }
        }
        try await test.open("young", age: .seconds(9 * 24 * 3_600)).append(1...1)
        test.close("young")
        test.clock.advance(by: Self.day + .seconds(60))
        await test.store.sweep(now: test.clock.now)
        #expect(try await test.count("room") == 301)
        test.clock.advance(by: .seconds(20 * 60))
        await test.store.sweep(now: test.clock.now)
        #expect(try await test.storedMessages() == 1)
        #expect(try await test.count("room") == 2)
        #expect(try await test.write { try StoredRooms.counts($0).rooms } == ["test": 2])
        let used = try await test.open("room 7", age: Self.day)
        #expect(used.opened.epoch == epochs[7])
        #expect(used.opened.lastSeq == 3)
        let retired = try await test.open("room 8", age: Self.day)
        #expect(retired.opened.epoch != epochs[8])
        #expect(retired.opened.lastSeq == 0)
        try await retired.append(1...1)
        #expect(try await test.rowID("room 8").map { $0 <= 301 } == true)
        #expect(try await test.open("room 8", age: Self.day).opened.epoch == retired.opened.epoch)
    }

    @Test func `a log that is opened while it is being retired is whole`() async throws {
        let test = try StoreUnderTest.make()
        let before = try await test.open(age: .seconds(1))
        try await before.append(1...1)
        test.close("room")
        test.clock.advance(by: Self.day)
        // it deletes the message
        await test.store.sweep(now: test.clock.now)
        let key = try RoomKey.make("room")
        let id = try #require(try await test.rowID("room"))
        let opened = NIOLockedValueBox<Result<OpenedLog, EngineError>?>(nil)
        try await test.write { [store = test.store] db in
            #expect(store.inUse.beginRetiring([key]) == [key])
            try Sweep.retire(db, [Sweep.Candidate(room: key, id: id, lastSeq: 1)])
            store.open(key, retention: before.retention, keysSince: 0, for: .broker) { result in
                opened.withLockedValue { $0 = result }
            }
            // whatever reads before the commit has had its turn
            for _ in 0..<20 {
                let ended = DispatchSemaphore(value: 0)
                store.read(generation: nil, for: .reader(.broker), { (_: Result<Int, _>) in ended.signal() }) { _, _ in
                    0
                }
                ended.wait()
            }
            #expect(opened.withLockedValue { $0 } == nil)
        }
        test.store.inUse.retired([key])
        let after = try await test.open(age: .seconds(1))
        // the two are answered by different readers, in whatever order
        while opened.withLockedValue({ $0 == nil }) { await Task.yield() }
        #expect(try opened.withLockedValue { $0 }?.get() == after.opened)
        #expect(after.opened.lastSeq == 0)
        #expect(after.opened.epoch != before.opened.epoch)
        try await after.append(1...1)
        #expect(try await after.read().seqs == [1])
    }

    @Test func `a sweep goes on while it finds rooms to retire, and stops where it finds none`() async throws {
        let test = try StoreUnderTest.make(.memory)
        try await test.addRooms(3_000, lastID: nil)
        await test.store.sweep(now: test.clock.now)
        #expect(try await test.count("room") == 0)
        let now = test.clock.now
        try await test.addRooms(21_000, lastID: now << 16)
        await test.store.sweep(now: now)
        #expect(try await test.count("room") == 21_000)
        #expect((20_000..<20_500).contains(test.store.sweepPosition.withLockedValue(\.self)))
    }

    @Test(arguments: StoreKind.allCases)
    func `a channel has so many rooms, then there is an error of its own`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind, roomsPerChannel: 10)
        for number in 0..<10 { try await test.open("room \(number)").append(1...1) }
        #expect(!test.store.isNearlyFullOfRooms)
        await test.store.sweep(now: test.clock.now)
        #expect(test.store.isNearlyFullOfRooms)
        #expect(test.log.lines(.warning).count == 1)
        let refused = try await test.open("one more")
        for _ in 0..<2 { await #expect(throws: EngineError.tooManyRooms) { try await refused.append(1...1) } }
        #expect(test.log.lines(.warning).map(\.text).last?.contains("messages for others are refused") == true)
        #expect(test.log.lines(.warning).count == 2)
        try await test.open("room 3").append(2...2)
        #expect(try await refused.read().seqs == [])
        try await test.clear("room 3", "room 4")
        try await refused.append(1...1)
        await test.store.sweep(now: test.clock.now)
        #expect(test.store.isNearlyFullOfRooms)
        try await test.clear("room 1")
        await test.store.sweep(now: test.clock.now)
        #expect(!test.store.isNearlyFullOfRooms)
    }

    @Test func `the end of the table is an error of its own, and what is free is used`() async throws {
        let test = try StoreUnderTest.make()
        let now = test.clock.now
        try await test.write { db in
            try db.execute(
                sql: """
                    INSERT INTO room (id, channel, name, epoch, last_high, last_low, is_synced, keep_count, keep_milliseconds)
                    VALUES (8388607, 'test', 'last', 1, ?, 0, 0, 9, 9)
                    """,
                arguments: [now << 16]
            )
        }
        let room = try await test.open()
        await #expect(throws: EngineError.tooManyRooms) { try await room.append(1...1) }
        await test.store.sweep(now: test.clock.now)
        #expect(test.store.isNearlyFullOfRooms)
        #expect(test.log.lines(.notice).isEmpty)
        #expect(test.store.isWritable)
        try await test.clear("last")
        await test.store.sweep(now: test.clock.now)
        try await test.open().append(1...1)
        #expect(try await test.rowID("room") == 8_388_607)
    }
}

extension StoreUnderTest {
    /// What a clear or a retirement of any room does. Returns the new seed.
    fileprivate func reseed() async throws -> Int64? {
        try await self.write { db in
            try EpochSeed.change(db)
            return try Int64.fetchOne(db, sql: "SELECT epoch_seed FROM meta")
        }
    }

    /// Puts rows of rooms whose messages are all gone into the file.
    ///
    /// - Parameter lastID: the upper half of that of the newest message.
    fileprivate func addRooms(_ count: Int, lastID: Int64?) async throws {
        try await self.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                    INSERT INTO room (id, channel, name, epoch, last_seq, last_high, last_low, oldest_seq, first_seq,
                        is_synced, keep_count, keep_milliseconds)
                    SELECT n, 'test', 'room ' || n, n, 1, ?, 0, 2, 2, 0, 9, 9 FROM number
                    """,
                arguments: [count, lastID]
            )
        }
    }

    fileprivate func close(_ room: String) {
        guard let key = try? RoomKey.make(room) else { return }
        self.store.close(key)
    }
}
