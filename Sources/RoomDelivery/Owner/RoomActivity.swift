import RoomDocuments
import RoomModel

/// How many messages a room had lately: those of this period and of the one before.
struct RoomActivity {
    private static let milliseconds: Int64 = 10_000

    private var period: Int64 = 0
    private var count = 0
    private var countBefore = 0

    /// - Parameter time: Unix milliseconds.
    mutating func add(_ messages: Int, at time: Int64) {
        let period = time / Self.milliseconds
        if period != self.period {
            self.countBefore = period == self.period + 1 ? self.count : 0
            self.count = 0
            self.period = period
        }
        self.count += messages
    }

    /// Messages a second over the last ten to twenty seconds.
    func rate(at time: Int64) -> Double {
        let (period, elapsed) = time.quotientAndRemainder(dividingBy: Self.milliseconds)
        let messages =
            switch period - self.period {
            case 0: self.countBefore + self.count
            case 1: self.count
            default: 0
            }
        return Double(messages) * 1_000 / Double(Self.milliseconds + elapsed)
    }
}

extension RoomOwner {
    /// Rooms that are looked at before the loop has other work to do.
    private static let searched = 1_000

    /// The busiest rooms of the channel with members among the next ones of a look at all rooms.
    func busiest(in channel: ChannelID, naming most: Int, of sweep: inout RoomSweep) -> [AdminRoomSummary] {
        let now = self.context.environment.clock()
        let rooms = self.rooms.next(Self.searched, of: &sweep).compactMap { owned -> AdminRoomSummary? in
            let rate = owned.activity.rate(at: now)
            guard owned.key.channel == channel, rate > 0, owned.listedMembers > 0 else { return nil }
            return AdminRoomSummary(owned.key.room, members: owned.listedMembers, messagesPerSecond: rate)
        }
        return rooms.busiest(most)
    }
}

extension [AdminRoomSummary] {
    func busiest(_ most: Int) -> [AdminRoomSummary] {
        let sorted = self.sorted { left, right in
            let (first, second) = (left.messagesPerSecond ?? 0, right.messagesPerSecond ?? 0)
            return first == second ? left.name < right.name : first > second
        }
        return Array(sorted.prefix(most))
    }
}
