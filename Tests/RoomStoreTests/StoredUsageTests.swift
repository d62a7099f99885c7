import GRDB
import RoomModel
import Testing

@testable import RoomCore
@testable import RoomStore

/// How much is stored of each channel.
@Suite(.timeLimit(.minutes(5)))
struct StoredUsageTests {
    private func count(_ test: StoreUnderTest, mostSampled: Int) async throws -> StoredUsage.Channel? {
        let usage = try await test.write { db in
            var count = try StoredUsageCount(db, mostSampled: mostSampled)
            while !count.isComplete { try count.add(db) }
            return count.usage
        }
        return usage[try RoomKey.make("any").channel]
    }

    @Test(arguments: StoreKind.allCases)
    func `messages and bytes of all rooms are added up`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let names = (0..<StoredUsageCount.roomsInStep + 5).map { "room \($0)" }
        for name in names { try await test.open(name).append(1...3) }
        try await test.open("long", keep: 2).append(1...10)
        let bytes = try await test.write {
            try UInt64.fetchOne($0, sql: "SELECT sum(length(messages)) FROM batch") ?? 0
        }
        let usage = try await StoredUsageMeter(test.store).storedUsage()
        var expected = StoredUsage.Channel()
        expected.rooms = 70
        expected.messages = 69 * 3 + 2
        expected.bytes = bytes
        #expect(Array(usage.channels.values) == [expected] && usage.total == expected)
        #expect((usage.fileBytes == nil) == (kind == .memory))
    }

    @Test func `where there are very many rooms, the others are like those that were looked at`() async throws {
        let test = try StoreUnderTest.make()
        for number in 0..<20 { try await test.open("room \(number)").append(1...4) }
        let whole = try #require(try await self.count(test, mostSampled: 20))
        let part = try #require(try await self.count(test, mostSampled: 7))
        #expect(!whole.isEstimate && part.isEstimate)
        #expect(part.messages == 80 && part.rooms == 20 && part.bytes == whole.bytes)
    }

    @Test func `it is measured once a minute at most`() async throws {
        let test = try StoreUnderTest.make()
        let room = try await test.open()
        try await room.append(1...2)
        let meter = StoredUsageMeter(test.store)
        #expect(try await meter.storedUsage().total.messages == 2)
        try await room.append(3...5)
        test.clock.advance(by: .milliseconds(StoredUsageMeter.lifetime - 1))
        #expect(try await meter.storedUsage().total.messages == 2)
        test.clock.advance(by: .milliseconds(1))
        #expect(try await meter.storedUsage().total.messages == 5)
        await test.store.close()
        test.clock.advance(by: .milliseconds(StoredUsageMeter.lifetime))
        await #expect(throws: EngineError.unavailable) { try await meter.storedUsage() }
    }

    @Test func `the largest rooms of a file are named, the largest first`() async throws {
        let test = try StoreUnderTest.make()
        for (name, messages) in [("b", 4), ("d", 1), ("a", 30), ("c", 9)] as [(String, UInt64)] {
            try await test.open(name).append(1...messages)
        }
        await test.store.close()
        let found = try StoredFile.history(test.directory.file("history.sqlite"), naming: 3)
        #expect(found.largest.map(\.room.room.text) == ["a", "c", "b"])
        #expect(
            found.largest.map(\.messages) == [30, 9, 4] && found.largest.allSatisfy { !$0.isEstimate && $0.bytes > 0 }
        )
        #expect(try StoredFile.history(test.directory.file("history.sqlite")).largest.isEmpty)
    }
}
