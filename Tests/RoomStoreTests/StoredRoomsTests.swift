import GRDB
import Logging
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Which rooms have rows in the history, from their first message until they are retired.
@Suite(.timeLimit(.minutes(1)))
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
        #expect(try await test.write { try StoredRooms.counts($0) } == ["test": 2])
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

    @Test func `a log that is opened while it may be retired is whole`() async throws {
        let test = try StoreUnderTest.make()
        for number in 0..<200 {
            try await test.open("room \(number)", age: .seconds(1)).append(1...1)
            test.close("room \(number)")
        }
        test.clock.advance(by: Self.day)
        // the first one deletes the messages
        for _ in 0..<2 { await test.store.sweep(now: test.clock.now) }
        #expect(try await test.count("room") == 0)
        for number in 0..<200 {
            try await test.open("room \(number)", age: .seconds(1)).append(1...1)
            test.close("room \(number)")
        }
        test.clock.advance(by: Self.day)
        await test.store.sweep(now: test.clock.now)
        async let swept: Void = test.store.sweep(now: test.clock.now)
        for number in 0..<200 {
            let room = try await test.open("room \(number)", age: .seconds(1))
            let next = room.opened.lastSeq + 1
            try await room.append(next...next)
            #expect(try await room.read().seqs == [next])
        }
        await swept
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
        await #expect(throws: EngineError.tooManyRooms) { try await refused.append(1...1) }
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
        try await test.write { db in
            try db.execute(
                sql: """
                    INSERT INTO room (id, channel, name, epoch, is_synced, keep_count, keep_milliseconds)
                    VALUES (8388607, 'test', 'last', 1, 0, 9, 9)
                    """
            )
        }
        let room = try await test.open()
        await #expect(throws: EngineError.tooManyRooms) { try await room.append(1...1) }
        #expect(test.store.isNearlyFullOfRooms)
        #expect(test.store.isWritable)
        try await test.clear("last")
        await test.store.sweep(now: test.clock.now)
        try await test.open().append(1...1)
        #expect(try await test.rowID("room") == 8_388_607)
    }
}

extension StoreUnderTest {
    fileprivate func close(_ room: String) {
        guard let key = try? RoomKey.make(room) else { return }
        self.store.close(key)
    }
}
