/// The memory that the rooms of one event loop, and what is remembered for them, may take together, in bytes.
///
/// Rooms with members and the places in them are held: nobody can be taken out of a room, so beyond three quarters of the
/// whole nobody gets in. Beyond a half only those do who are in few rooms, so that whoever takes many leaves something for
/// the others. The rest is for what is kept: windows, publish keys, rooms without members and sessions in their grace
/// period. Each may take what the others do not need, and gives it back when they need it, down to a quarter. Pure.
package struct SharedMemory: Equatable, Sendable {
    /// The bytes that are only remembered, and can be forgotten.
    package struct Kept: Equatable, Sendable {
        package var windows = 0
        package var publishKeys = 0
        package var emptyRooms = 0
        package var lingering = 0

        package init() {}

        package var total: Int { self.windows + self.publishKeys + self.emptyRooms + self.lingering }
    }

    /// A connection in fewer rooms gets into more of them even where there is not much left.
    static let fewRooms = 16

    private let limit: Int
    private let most: Kept
    /// Rooms with members.
    package var rooms = 0
    /// The number of places that members have in rooms, or ask for.
    package var places = 0
    /// As of the end of the latest turn.
    package var kept = Kept()

    /// - Parameters:
    ///   - limit: for all of it; `Int.max`: there is none.
    ///   - most: what each of the kept may take, however much is left.
    init(limit: Int, most: Kept) {
        self.limit = limit
        self.most = most
    }

    /// - Parameter shards: divide what the broker has among them.
    package init(_ limits: BrokerLimits, shards: Int) {
        let shards = max(1, shards)
        var most = Kept()
        most.windows = limits.windowTotal / shards
        most.publishKeys = limits.publishKeysTotal / shards
        most.emptyRooms = MemoryBound.product(limits.dormantRooms, MemoryBound.emptyRoom)
        most.lingering = MemoryBound.product(limits.lingeringRooms / shards, MemoryBound.entry)
        self.init(limit: limits.memoryTotal < .max ? limits.memoryTotal / shards : .max, most: most)
    }

    /// For all of it; `nil`: there is none.
    package var bound: Int? { self.limit < .max ? self.limit : nil }

    // MARK: Held

    package var held: Int { self.rooms * MemoryBound.room + self.places * MemoryBound.subscription }

    /// Whether a room without members may get its first one.
    package var takesRoom: Bool { self.limit == .max || self.held < self.limit / 4 * 3 }

    /// How many more rooms a connection may be in.
    ///
    /// - Parameter rooms: that it is in.
    package func placesLeft(forOneIn rooms: Int) -> Int {
        guard self.limit < .max else { return .max }
        // each may be the first member of its room
        let forAll = max(0, self.limit / 2 - self.held) / (MemoryBound.room + MemoryBound.subscription)
        let forFew = max(0, self.limit / 4 * 3 - self.held) / MemoryBound.subscription
        return max(forAll, min(forFew, Self.fewRooms - rooms), 0)
    }

    // MARK: Kept

    /// The bytes that each of the kept may take now.
    package var limits: Kept {
        guard self.limit < .max else { return self.most }
        let free = max(0, self.limit - self.held)
        let left = free - self.kept.total
        func limit(_ most: Int, _ now: Int) -> Int { min(most, max(free / 4, now + left)) }
        var limits = Kept()
        limits.windows = limit(self.most.windows, self.kept.windows)
        limits.publishKeys = limit(self.most.publishKeys, self.kept.publishKeys)
        limits.emptyRooms = limit(self.most.emptyRooms, self.kept.emptyRooms)
        limits.lingering = limit(self.most.lingering, self.kept.lingering)
        return limits
    }
}
