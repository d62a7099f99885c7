import GRDB
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// What the list of stored rooms says of each, page by page.
@Suite(.timeLimit(.minutes(5)))
struct StoredRoomListTests {
    private func list(
        _ test: StoreUnderTest,
        prefix: String = "",
        after: String? = nil,
        limit: Int = 100
    ) async throws -> StoredRoomPage {
        let query = StoredRoomQuery(
            prefix: prefix,
            after: after.map { RoomName($0) },
            limit: limit,
            asker: .administrator("test")
        )
        return try await test.store.storedRooms(in: RoomKey.make("any").channel, query)
    }

    @Test(arguments: StoreKind.allCases)
    func `rooms come by name, in pages, and only those with the prefix`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        for name in ["b", "a", "b/ü", "b2", "c"] { try await test.open(name).append(1...2) }
        #expect(try await self.list(test).rooms.map(\.name.text) == ["a", "b", "b/ü", "b2", "c"])
        let first = try await self.list(test, prefix: "b", limit: 2)
        #expect(first.rooms.map(\.name.text) == ["b", "b/ü"] && first.hasMore && first.total == 5)
        let second = try await self.list(test, prefix: "b", after: "b/ü", limit: 2)
        #expect(second.rooms.map(\.name.text) == ["b2"] && !second.hasMore)
        #expect(try await self.list(test, prefix: "x").rooms.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a small room is counted, a large one estimated`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let small = try await test.open("small")
        try await small.append(1...10)
        let large = try await test.open("large")
        // A row for each append, more than are looked at.
        for seq in 1...UInt64(RoomSample.rows * 3) { try await large.append(seq...seq) }
        let rooms = try await self.list(test).rooms
        let (many, few) = (rooms[0], rooms[1])
        #expect(few.messages == 10 && !few.isEstimate && few.bytes > 10 * 24 && few.epoch == small.opened.epoch)
        #expect(many.messages == 192 && many.isEstimate && many.lastSeq == 192)
        let id = try #require(try await test.rowID("large"))
        let range = (BatchRowID(room: id, seq: 0).rawValue, BatchRowID(room: id, seq: BatchRowID.highestSeq).rawValue)
        let bytes = try await test.write { db in
            try UInt64.fetchOne(
                db,
                sql: "SELECT sum(length(messages)) FROM batch WHERE id BETWEEN ? AND ?",
                arguments: [range.0, range.1]
            ) ?? 0
        }
        #expect(many.bytes > bytes * 9 / 10 && many.bytes < bytes * 11 / 10)
        #expect(many.times != nil)
    }
}
