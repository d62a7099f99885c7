import DequeModule
import RoomCore
import RoomModel

/// Bounds what the publish keys of all rooms of a partition take together: beyond it, those of the oldest second are forgotten
/// in all rooms. So are those that have lived long enough, also in rooms where nothing happens any more.
///
/// What is forgotten follows from the keys alone: seconds are those of the partition's steady time.
struct PartitionKeys {
    /// In bytes.
    let limit: Int
    private(set) var bytes = 0
    /// The rooms that got keys in a second, ascending. They may have lost them since.
    private var seconds: Deque<(second: UInt32, rooms: [RoomKey])> = []

    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameters:
    ///   - change: of the bytes that the keys of the room take.
    ///   - newest: when its newest key came, if it has got some.
    mutating func changed(_ room: RoomKey, by change: Int, newest: UInt32?) {
        self.bytes += change
        guard let newest else { return }
        if let last = self.seconds.last, last.second == newest {
            self.seconds[self.seconds.count - 1].rooms.append(room)
        } else {
            self.seconds.append((newest, [room]))
        }
    }

    /// The next keys to be forgotten: the second until which, and the rooms that may have some.
    ///
    /// - Parameter now: `RoomTurn.steadySecond`.
    mutating func nextToForget(at now: UInt32) -> (second: UInt32, rooms: [RoomKey])? {
        guard let oldest = self.seconds.first,
            self.bytes > self.limit || UInt64(oldest.second) + UInt64(PublishKeys.lifetimeSeconds) < UInt64(now)
        else { return nil }
        self.seconds.removeFirst()
        return oldest
    }
}
