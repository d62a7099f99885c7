import DequeModule
import NIOCore
import RoomModel

/// Rooms without members, in the order in which they became so.
struct DormantRooms {
    private var rooms: Deque<(key: RoomKey, since: NIODeadline)> = []

    var isEmpty: Bool { self.rooms.isEmpty }

    mutating func add(_ room: RoomKey, at time: NIODeadline) {
        self.rooms.append((room, time))
    }

    /// Takes out the oldest one where there are more than so many.
    mutating func popOldest(above limit: Int) -> RoomKey? {
        self.rooms.count > limit ? self.rooms.popFirst()?.key : nil
    }

    /// Takes out those that have been dormant for so long, the oldest, so many at most.
    mutating func take(_ limit: Int, after lifetime: TimeAmount, at time: NIODeadline) -> [RoomKey] {
        let count = self.rooms.prefix(limit).prefix { $0.since + lifetime <= time }.count
        defer { self.rooms.removeFirst(count) }
        return self.rooms.prefix(count).map(\.key)
    }
}
