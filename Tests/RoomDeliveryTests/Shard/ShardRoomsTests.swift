import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct ShardRoomsTests {
    private final class Listed: ListedRoom {
        let key: RoomKey
        var listIndex = 0
        var use = RoomUse()

        init(_ number: Int) {
            self.key = .make("room-\(number)")
        }
    }

    @Test func `a look misses none that stays, whatever comes and goes meanwhile`() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<50 {
            var list = ShardRooms<Listed>()
            for number in 0..<200 { list.add(Listed(number)) }
            var (sweep, seen) = (list.sweep, Set<RoomKey>())
            var (gone, next) = (Set<RoomKey>(), 200)
            while !sweep.isDone {
                for room in list.next(7, of: &sweep) { seen.insert(room.key) }
                for _ in 0..<random.below(9) {
                    if random.chance(60), let key = list.all.randomElement(using: &random)?.key {
                        list.remove(key)
                        gone.insert(key)
                    } else {
                        list.add(Listed(next))
                        next += 1
                    }
                }
            }
            let first = (0..<200).map { RoomKey.make("room-\($0)") }
            #expect(first.allSatisfy { seen.contains($0) || gone.contains($0) })
        }
    }

    @Test func `a room takes the place of one with its key`() {
        var list = ShardRooms<Listed>()
        let (old, new) = (Listed(1), Listed(1))
        for room in [old, Listed(2), new] { list.add(room) }
        #expect(list.count == 2)
        #expect(list[new.key] === new)
        list.remove(new.key)
        #expect(list.all.map(\.key) == [.make("room-2")])
    }
}
