import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Rooms by the bytes of their names, a page at a time.
struct SortedRoomsTests {
    private static func rooms(_ names: [String]) -> SortedRooms {
        var rooms = SortedRooms()
        for name in names { rooms.set(RoomName(name), members: 1) }
        return rooms
    }

    private static func names(_ page: RoomPage) -> [String] { page.rooms.map(\.name) }

    @Test func `names are sorted by their bytes, not as people do`() {
        // é composed and decomposed are one character to Swift, and two names here
        let names = ["b", "B", "a10", "a2", "\u{e9}", "e\u{301}", "z", "\u{1f600}", "\u{ffff}", "ab", "a"]
        var rooms = Self.rooms(names)
        let expected = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let page = Self.names(rooms.page(RoomQuery()))
        #expect(page.elementsEqual(expected) { Array($0.utf8) == Array($1.utf8) })
    }

    @Test(arguments: [1, 2, 3, 7, 100], ["", "a", "room-1", "x", "\u{1f600}"])
    func `pages end where they should, each room in one of them`(limit: Int, prefix: String) {
        let names = (0..<30).map { "room-\($0)" } + ["a", "a1", "b", "\u{1f600}x"]
        var rooms = Self.rooms(names)
        let expected = names.filter { $0.hasPrefix(prefix) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var seen: [String] = []
        var query = RoomQuery(prefix: prefix, limit: limit)
        while true {
            let page = rooms.page(query)
            #expect(page.rooms.count <= limit)
            #expect(page.total == names.count)
            seen += Self.names(page)
            guard page.hasMore else { break }
            query.after = page.rooms.last.map { RoomName($0.name) }
        }
        #expect(seen == expected)
    }

    @Test func `rooms that vanish and come between pages are missed by nobody else`() {
        var rooms = Self.rooms(["a", "b", "c", "d", "e"])
        let first = rooms.page(RoomQuery(limit: 2))
        #expect(Self.names(first) == ["a", "b"])
        for gone in ["b", "c"] { rooms.set(RoomName(gone), members: 0) }
        rooms.set(RoomName("bb"), members: 3)
        rooms.set(RoomName("0"), members: 1)
        let second = rooms.page(RoomQuery(after: RoomName("b"), limit: 2))
        #expect(Self.names(second) == ["bb", "d"])
        #expect(second.rooms.first?.members == 3)
        #expect(second.hasMore)
        #expect(second.total == 5)
        #expect(Self.names(rooms.page(RoomQuery(after: RoomName("e"), limit: 2))) == [])
    }

    @Test func `a room that goes and comes again is listed once`() {
        var rooms = Self.rooms(["a", "b"])
        _ = rooms.page(RoomQuery())
        for members in [0, 2, 0, 4] { rooms.set(RoomName("a"), members: members) }
        #expect(rooms.page(RoomQuery()).rooms.map(\.members) == [4, 1])
        rooms.set(RoomName("c"), members: 1)
        rooms.set(RoomName("c"), members: 0)
        #expect(Self.names(rooms.page(RoomQuery())) == ["a", "b"])
    }

    @Test func `fifty thousand rooms change and are listed`() async {
        let directory = RoomDirectory()
        let channel = ChannelID.make()
        for start in stride(from: 0, to: 50_000, by: 1_000) {
            directory.changed((start..<start + 1_000).map { (RoomKey.make("room-\($0)"), 1) })
        }
        let first = await directory.page(of: channel, RoomQuery(limit: 100))
        #expect(first.total == 50_000)
        #expect(first.rooms.first?.name == "room-0")
        directory.changed((0..<25_000).map { (RoomKey.make("room-\($0 * 2)"), 0) })
        let after = await directory.page(of: channel, RoomQuery(after: RoomName("room-4"), limit: 1_000))
        #expect(after.total == 25_000)
        #expect(after.rooms.count == 1_000)
        #expect(after.rooms.allSatisfy { $0.name.last.map { "13579".contains($0) } ?? false })
    }
}
