import DequeModule
import RoomCore
import RoomModel

/// Bounds what the publish keys of all rooms of a shard cost together: beyond it the oldest of all are forgotten first, a
/// second of one room at a time. Those that have lived long enough are forgotten with it too, also in rooms where nothing
/// happens any more.
struct KeyBudget {
    /// The counts of one room's publish keys.
    struct Holding {
        var bytes = 0
        /// In which second (`RoomTurn.steadySecond`) the newest key came, and how many such seconds the budget has in its order.
        var second: UInt32 = 0
        var turns = 0
    }

    /// The rooms, for each second in which they had new keys.
    private var order: Deque<(room: LoopRoom, second: UInt32)> = []
    /// How many of them are of rooms that the owner has forgotten.
    private var forgotten = 0
    private(set) var bytes = 0
    var limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// A room may have other keys than before.
    mutating func changed(_ ordered: LoopRoom) {
        self.count(ordered)
        guard let newest = ordered.room.keys.newest else { return }
        if newest > ordered.countedKeys.second || ordered.countedKeys.turns == 0 {
            ordered.countedKeys.second = newest
            ordered.countedKeys.turns += 1
            self.order.append((ordered, ordered.countedKeys.second))
        }
        while self.bytes > self.limit, let oldest = self.order.first {
            self.forget(oldest.room, through: oldest.second)
        }
    }

    /// Forgets some of the oldest where there are too many now.
    ///
    /// - Returns: whether there were.
    mutating func forgetSome() -> Bool {
        guard self.bytes > self.limit, let oldest = self.order.first else { return false }
        self.forget(oldest.room, through: oldest.second)
        return true
    }

    /// Forgets those that have lived long enough.
    ///
    /// - Parameter now: `RoomTurn.steadySecond`.
    /// - Returns: whether there are more of them.
    mutating func forgetOld(at now: UInt32) -> Bool {
        for _ in 0..<64 {
            guard let oldest = self.order.first,
                oldest.second + PublishKeys.lifetimeSeconds < now
            else { return false }
            self.forget(oldest.room, through: oldest.second)
        }
        return true
    }

    /// The owner has forgotten the room.
    mutating func removed(_ ordered: LoopRoom) {
        self.bytes -= ordered.countedKeys.bytes
        ordered.countedKeys.bytes = 0
        self.forgotten += ordered.countedKeys.turns
        ordered.countedKeys.turns = 0
        guard self.forgotten > self.order.count / 2 else { return }
        self.order.removeAll { $0.room.isForgotten }
        self.forgotten = 0
    }

    /// Forgets the oldest keys of the room that is first in the order, and its turn with the last of them.
    private mutating func forget(_ ordered: LoopRoom, through second: UInt32) {
        guard !ordered.isForgotten else {
            self.order.removeFirst()
            self.forgotten -= 1
            return
        }
        let before = ordered.room.keys.count
        ordered.forgetKeys(before: second + 1)
        self.count(ordered)
        guard before - ordered.room.keys.count < PublishKeys.forgottenAtOnce else { return }
        ordered.countedKeys.turns -= 1
        self.order.removeFirst()
    }

    private mutating func count(_ ordered: LoopRoom) {
        let bytes = ordered.room.keys.bytes
        self.bytes += bytes - ordered.countedKeys.bytes
        ordered.countedKeys.bytes = bytes
    }
}
