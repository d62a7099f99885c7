import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What looks at all connections or rooms of a loop does so some at a time, and lets the loop do its other work between.
struct SweepTests {
    private static let count = 150
    private static let slice = 64

    private let broker = TestBroker(channels: [.make(authentication: .none)])
    private let isDone = NIOLockedValueBox(false)

    private var wasDone: Bool { self.isDone.withLockedValue { $0 } }
    private var shard: RoomShard { self.broker.shards[0].onLoop }

    private func connect() {
        for number in 0..<Self.count {
            let client = self.broker.connect()
            client.handshake()
            client.subscribe("room-\(number)")
        }
    }

    @Test func `a change of a channel reaches its members and rooms in slices, and is done when all have it`() {
        self.connect()
        let settings = ChannelSettings.make(history: nil, authentication: .required)
        let channel = RoomChannel(settings: settings, secrets: [TestBroker.secret])
        self.shard.channelChanged(channel) { [isDone] in isDone.withLockedValue { $0 = true } }
        #expect(self.shard.counters.goodbyes[.authenticationRequired] == Self.slice)
        #expect(!self.wasDone)
        self.broker.run()
        #expect(self.shard.counters.goodbyes[.authenticationRequired] == Self.count)
        #expect(self.wasDone)
        let rooms = (0..<Self.count).map { self.shard.owner.detail(of: .make("room-\($0)")) }
        #expect(rooms.allSatisfy { $0?.history == nil })
    }

    @Test func `the members of a removed channel are told in slices`() {
        self.connect()
        self.shard.channelRemoved(.make()) { [isDone] in isDone.withLockedValue { $0 = true } }
        #expect(self.shard.counters.goodbyes[.unknownChannel] == Self.slice)
        #expect(!self.wasDone)
        self.broker.run()
        #expect(self.shard.counters.goodbyes[.unknownChannel] == Self.count)
        #expect(self.wasDone)
    }

    @Test func `the rooms of a removed channel are forgotten in slices`() {
        let broker = TestBroker(waitsForSockets: true)
        let ann = broker.connect()
        ann.handshake()
        broker.lookAtSockets()
        for number in 0..<Self.count {
            ann.publish("room-\(number)", "1")
            broker.lookAtSockets()
        }
        let shard = broker.shards[0].onLoop
        #expect(shard.ownedTotal == Self.count)
        shard.channelRemoved(.make("test")) { [isDone] in isDone.withLockedValue { $0 = true } }
        broker.run()
        #expect(shard.ownedTotal == Self.count - Self.slice)
        #expect(!self.wasDone)
        for _ in 0..<2 { broker.lookAtSockets() }
        #expect(shard.ownedTotal == 0)
        #expect(self.wasDone)
    }

    @Test func `slow members are looked for among so many connections at a time`() {
        let numbers = (0..<5_000).map { UInt64($0) }
        let (found, count) = self.shard.slowMembers(among: numbers[...], naming: 10)
        #expect(found == SlowMembers() && count == 1_000)
    }

    @Test func `to take the members of a room for a list looks at none of them`() {
        self.connect()
        let table = self.shard.owner.members(of: .make("room-1"))
        let client = self.broker.connect()
        client.handshake()
        client.subscribe("room-1")
        #expect(table.count == 1)
        #expect(self.shard.owner.members(of: .make("room-1")).count == 2)
    }

    @Test func `what is put off waits until the loop has looked at its sockets, however long its tasks take`() {
        let (loop, tick, count) = (EmbeddedEventLoop(), NIOLockedValueBox(1), NIOLockedValueBox(0))
        let tries = NIOLockedValueBox(0)
        var environment = ShardEnvironment(
            channels: ChannelTable([]),
            limits: BrokerLimits(),
            engine: MemoryEngine(clock: ManualClock()),
            idFloor: MemoryFloor(),
            clock: { 0 }
        )
        environment.loopTicks = {
            tries.withLockedValue { $0 += 1 }
            return tick.withLockedValue { $0 }
        }
        let shard = RoomShard.make(
            index: 0,
            eventLoop: loop,
            environment: environment,
            shards: 1,
            entropy: Entropy { Array(repeating: 1, count: 64) }
        )
        shard.onLoop.connect([shard])
        shard.onLoop.afterIO { _ in count.withLockedValue { $0 += 1 } }
        loop.advanceTime(by: .milliseconds(1))
        #expect(count.withLockedValue { $0 } == 0)
        // where a try takes longer than the pause, tries without end would keep the loop from its sockets
        #expect(tries.withLockedValue { $0 } < 10)
        tick.withLockedValue { $0 += 1 }
        loop.advanceTime(by: .milliseconds(1))
        #expect(count.withLockedValue { $0 } == 1)
        shard.onLoop.connect([])
    }
}
