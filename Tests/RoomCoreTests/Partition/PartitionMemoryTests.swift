import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// What a partition forgets, and what it keeps.
struct PartitionMemoryTests {
    private static func bench(
        keyBytes: Int = 1 << 20,
        rooms: Int = 2,
        history: Int? = 10,
        age: Duration = .seconds(60)
    ) -> PartitionBench {
        var limits = BrokerLimits()
        limits.publishKeysTotal = keyBytes
        limits.dormantRooms = rooms
        return PartitionBench(Partition(limits: limits), .make(history: history, age: age))
    }

    private static let rooms = (0..<6).map { RoomKey.make("room-\($0)") }

    // MARK: Keys

    @Test func `keys that have lived long enough are forgotten in rooms where nothing happens`() {
        var bench = Self.bench(rooms: 10)
        #expect(bench.isNew(1, in: Self.rooms[0], at: 1_000) == true)
        let bytes = bench.partition.keyBytes
        #expect(bytes > 0)
        // its steady time moves on by 15 s with a record at most
        for time in stride(from: 16, through: 601, by: 15) as StrideThrough<Int64> { bench.append(1, at: time * 1_000) }
        #expect(bench.partition.keyBytes == bytes)
        bench.append(1, at: 602_000)
        #expect(bench.partition.keyBytes == 0)
    }

    @Test func `beyond the budget the oldest second of all rooms is forgotten`() {
        var bench = Self.bench(keyBytes: 1_200, rooms: 10)
        for number in 0..<3 { #expect(bench.isNew(UInt64(number), in: Self.rooms[number], at: 1_000) == true) }
        #expect(bench.isNew(3, in: Self.rooms[0], at: 2_000) == true)
        #expect(bench.isNew(0, in: Self.rooms[0], at: 2_000) == false)
        #expect(bench.isNew(4, in: Self.rooms[3], at: 3_000, from: "bob") == true)
        #expect(bench.partition.keyBytes <= 1_200)
        // of the first second nothing is left, in whatever room; of the others, all
        #expect(bench.isNew(3, in: Self.rooms[0], at: 3_000) == false)
        #expect(bench.isNew(4, in: Self.rooms[3], at: 3_000, from: "bob") == false)
        for number in 0..<3 { #expect(bench.partition[Self.rooms[number]]?.keys[.make(UInt64(number))] == nil) }
    }

    @Test func `a second with more keys than are forgotten at once is forgotten as a whole`() {
        var bench = Self.bench(keyBytes: 0)
        let entries = (0..<5_000).map { number in
            PartitionRecord.Command(.publish(.make(messageID: UInt64(number))), in: Self.rooms[0])
        }
        bench.append(1, at: 1_000, .commands(entries))
        #expect(bench.partition[Self.rooms[0]]?.lastSeq == 5_000)
        #expect(bench.partition.keyBytes == 0)
        #expect(bench.partition[Self.rooms[0]]?.keys.isEmpty == true)
    }

    // MARK: Rooms

    @Test func `of rooms without history and members those are forgotten that were used least recently`() {
        var bench = Self.bench(history: nil)
        for room in Self.rooms[0...1] { _ = bench.isNew(1, in: room, at: 1_000) }
        // used once more
        _ = bench.isNew(2, in: Self.rooms[0], at: 1_001)
        bench.append(1, at: 1_002, .commands([PartitionBench.join("ann", Self.rooms[2], node: 1)]))
        #expect(Set(bench.partition.roomKeys) == Set(Self.rooms[0...2]))
        let epoch = bench.partition[Self.rooms[1]]?.epoch
        _ = bench.isNew(1, in: Self.rooms[3], at: 1_003)
        #expect(Set(bench.partition.roomKeys) == [Self.rooms[0], Self.rooms[2], Self.rooms[3]])
        // it begins anew, in another epoch, and its keys are not known any more
        #expect(bench.isNew(1, in: Self.rooms[1], at: 1_003) == true)
        #expect(bench.partition[Self.rooms[1]]?.lastSeq == 1)
        #expect(bench.partition[Self.rooms[1]]?.epoch != epoch)
    }

    @Test func `the ids of a room that begins anew are behind those that it had`() throws {
        var bench = Self.bench(rooms: 0, history: nil)
        let entries = (0..<5_000).map { PartitionRecord.Command(.publish(.make("\($0)")), in: Self.rooms[0]) }
        // more than a millisecond has
        let first = bench.append(1, at: 1_000, .commands(entries))
        #expect(bench.partition.roomKeys.isEmpty)
        let again = bench.append(.publish(.make()), in: Self.rooms[0], at: 1_000)
        let last = try #require(first.batches.last?.batch.entries.last?.stamp.id)
        let next = try #require(again.batches.first?.batch.entries.first?.stamp.id)
        #expect(last < next)
    }

    @Test func `a room with history goes on where it was as long as its messages are kept`() {
        var bench = Self.bench(rooms: 0)
        #expect(bench.isNew(1, in: Self.rooms[0], at: 1_000) == true)
        let epoch = bench.partition[Self.rooms[0]]?.epoch
        #expect(bench.partition.keyBytes == 0)
        for time in stride(from: 11, through: 61, by: 10) as StrideThrough<Int64> { bench.append(1, at: time * 1_000) }
        #expect(bench.isNew(1, in: Self.rooms[0], at: 61_000) == true)
        #expect(bench.partition[Self.rooms[0]]?.lastSeq == 2)
        #expect(bench.partition[Self.rooms[0]]?.epoch == epoch)
        for time in stride(from: 71, through: 121, by: 10) as StrideThrough<Int64> { bench.append(1, at: time * 1_000) }
        #expect(bench.partition[Self.rooms[0]] != nil)
        bench.append(1, at: 121_001)
        #expect(bench.partition[Self.rooms[0]] == nil)
    }

    @Test func `a room with rules is kept until it has none`() {
        var bench = Self.bench(rooms: 0, history: nil)
        var rules = RoomRules()
        rules.isLocked = true
        bench.append(.rules(rules), in: Self.rooms[0], at: 1_000)
        for time in 2...20 as ClosedRange<Int64> { bench.append(1, at: time * 10_000) }
        #expect(bench.partition[Self.rooms[0]]?.rules.isLocked == true)
        bench.append(.rules(RoomRules()), in: Self.rooms[0], at: 210_000)
        #expect(bench.partition[Self.rooms[0]] == nil)
    }

    @Test func `a grace that ends makes no room`() {
        var bench = Self.bench(rooms: 0, history: nil)
        let connection = ConnectionRef(shard: 0, number: 1, node: NodeNumber(rawValue: 1))
        bench.append(1, at: 1_000, .commands([PartitionBench.join("ann", Self.rooms[0], node: 1)]))
        bench.append(.linger(ClientID("ann"), connection), in: Self.rooms[0], at: 2_000)
        bench.append(.graceEnded(ClientID("ann")), in: Self.rooms[0], at: 3_000)
        #expect(bench.partition.roomKeys.isEmpty)
        for time in [15, 30, 45] as [Int64] { #expect(bench.append(1, at: time * 1_000).batches.isEmpty) }
        #expect(bench.partition.roomKeys.isEmpty)
        #expect(!bench.partition.waitsForTime)
    }

    /// Found by `scripts/fuzz snapshots`: a damaged snapshot may have such a key.
    @Test func `a key of a second that never comes is forgotten for its bytes only`() throws {
        var keys = PartitionKeys(limit: 100)
        keys.changed(.make(), by: 10, newest: .max)
        #expect(keys.nextToForget(at: .max)?.second == nil)
        keys.changed(.make(), by: 100, newest: nil)
        #expect(keys.nextToForget(at: 0)?.second == .max)
        let settings = RoomChannel(settings: .make(history: 100)).roomSettings(of: RoomName("room"), BrokerLimits())
        let room = Room(key: .make(), settings: settings, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
        var partitionRoom = PartitionRoom(room, idsAfter: 0)
        partitionRoom.forgetKeys(through: .max)
        #expect(partitionRoom.keyCounts.newest == nil)
    }
}
