import Testing

@testable import RoomCore

/// How rooms, places in them, and what is remembered for them share one bound.
struct SharedMemoryTests {
    /// For 1,000 places.
    private static let limit = 1_000 * MemoryBound.subscription

    private static func memory(held: Int = 0, change: (inout SharedMemory.Kept) -> Void = { _ in }) -> SharedMemory {
        var most = SharedMemory.Kept()
        most.windows = Self.limit
        most.publishKeys = Self.limit / 2
        most.emptyRooms = Self.limit
        most.lingering = Self.limit / 8
        var memory = SharedMemory(limit: Self.limit, most: most)
        memory.places = held
        change(&memory.kept)
        return memory
    }

    @Test func `each of the kept may take what is left, and no more than its own bound`() {
        let limits = Self.memory().limits
        #expect(limits.windows == Self.limit)
        #expect(limits.publishKeys == Self.limit / 2)
        #expect(limits.lingering == Self.limit / 8)
    }

    @Test func `what one has taken is not there for the others, but for a quarter each`() {
        let memory = Self.memory { $0.windows = Self.limit - 100 }
        #expect(memory.limits.windows == Self.limit)
        #expect(memory.limits.emptyRooms == Self.limit / 4)
        let full = Self.memory {
            $0.windows = Self.limit - 100
            $0.emptyRooms = 300
        }
        #expect(full.limits.windows == Self.limit - 300)
    }

    @Test func `what is kept gives way to rooms and places`() {
        let memory = Self.memory(held: 600) { $0.windows = Self.limit / 2 }
        #expect(memory.limits.windows == Self.limit / 10 * 4)
        #expect(memory.limits.windows + memory.held == Self.limit)
    }

    @Test(
        arguments: [
            (0, 0, 125), (100, 400, 100), (490, 0, 16), (490, 12, 4), (490, 400, 2), (500, 0, 16), (500, 15, 1),
            (500, 16, 0), (745, 0, 5), (750, 0, 0),
        ]
    )
    func `whoever is in few rooms gets into more where others do not`(held: Int, rooms: Int, left: Int) {
        #expect(Self.memory(held: held).placesLeft(forOneIn: rooms) == left)
    }

    @Test func `above three quarters no room gets a first member`() {
        #expect(Self.memory(held: 749).takesRoom)
        #expect(!Self.memory(held: 750).takesRoom)
        var rooms = Self.memory()
        rooms.rooms = 250
        #expect(!rooms.takesRoom)
        #expect(rooms.placesLeft(forOneIn: 0) == 0)
    }

    @Test func `without a bound each has its own only`() {
        var limits = BrokerLimits()
        limits.memoryTotal = .max
        var memory = SharedMemory(limits, shards: 2)
        memory.places = 1_000_000_000
        #expect(memory.placesLeft(forOneIn: 1_000) == .max)
        #expect(memory.takesRoom)
        #expect(memory.limits.windows == limits.windowTotal / 2)
    }
}
