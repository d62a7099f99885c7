import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What the shards count is what happened, on every way that bytes can take.
struct ShardCountersTests {
    /// Of all shards together.
    private static func counters(_ broker: TestBroker) -> ShardCounters {
        broker.shards.map(\.onLoop.counters).reduce(into: ShardCounters()) { sum, shard in
            sum.connectionsOpened += shard.connectionsOpened
            sum.connectionsClosed.merge(shard.connectionsClosed, uniquingKeysWith: +)
            sum.openConnections.merge(shard.openConnections, uniquingKeysWith: +)
            sum.members += shard.members
            sum.subscribers.merge(shard.subscribers, uniquingKeysWith: +)
            sum.published.add(count: shard.published.count, bytes: shard.published.bytes)
            sum.delivered.add(count: shard.delivered.count, bytes: shard.delivered.bytes)
            sum.acknowledgements += shard.acknowledgements
            sum.storeReads += shard.storeReads
            sum.gaps.merge(shard.gaps, uniquingKeysWith: +)
            sum.goodbyes.merge(shard.goodbyes, uniquingKeysWith: +)
            sum.errors.merge(shard.errors, uniquingKeysWith: +)
            sum.windowBytes += shard.windowBytes
            sum.memory.held += shard.memory.held
            sum.memory.limit = shard.memory.limit
        }
    }

    @Test(arguments: [1, 2])
    func `messages, their copies, answers and members`(shards: Int) {
        let broker = TestBroker(shards: shards)
        let (ann, bob) = (broker.connect(), broker.connect(shard: shards - 1))
        _ = (ann.joined("room"), bob.joined("room"))
        ann.publish("room", #""hello""#)
        ann.say("room", "12", #","ephemeral":true"#)
        ann.isDumped = false  // that is not a frame
        ann.publish("room", "{")
        ann.isDumped = true
        _ = (ann.receive(), bob.receive())

        let counters = Self.counters(broker)
        #expect(counters.published.count == 2)
        #expect(counters.published.bytes == 9)
        #expect(counters.delivered.count == 4)
        #expect(counters.acknowledgements == 1)
        #expect(counters.errors == [.malformedJSON: 1])
        #expect(counters.members == 2)
        #expect(counters.subscribers[.live] == 2)
        #expect(counters.windowBytes > 0)
        #expect(counters.memory.held >= MemoryBound.room + 2 * MemoryBound.subscription)
        #expect(counters.memory.limit != nil)
    }

    @Test(arguments: [false, true], [1, 2, 3])
    func `copies are counted once, however the socket takes them`(direct: Bool, seed: UInt64) {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        let bob = broker.connect(direct: direct).joined("room")
        let before = Self.counters(broker).delivered
        bob.socket.takeRandomly(seed: seed)
        for number in 1...40 {
            for step in 0..<3 {
                ann.say("room", "\(number * 10 + step)", step == 1 ? #","echo":false,"callback":\#(number)"# : "")
            }
            broker.run()
        }
        bob.readOn()
        let own = ann.receive().filter { $0.type == "publish" }
        let others = bob.receive()
        #expect(own.count == 80)
        #expect(others.count == 120)
        let after = Self.counters(broker).delivered
        #expect(after.count - before.count == 200)
        let bytes = (own + others).reduce(0) { $0 + $1.line.utf8.count + 1 }
        #expect(after.bytes - before.bytes == bytes)
    }

    @Test func `a laggard is seen where it gets its messages from, with its gap and its goodbye`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 8_000
        let broker = TestBroker(limits: limits)
        let (fast, skipping, slow) = (broker.connect(), broker.connect(), broker.connect())
        _ = fast.joined("room", channel: "plain")
        _ = skipping.joined("room", channel: "plain", #","overflow":"drop_oldest""#)
        _ = slow.joined("room", channel: "plain")
        skipping.stopReading(after: 700)
        slow.stopReading(after: 700)
        for number in 1...60 {
            fast.say("room", "\"\(number) \(String(repeating: "x", count: 500))\"")
            broker.run()
        }
        skipping.readOn()
        slow.readOn()
        _ = slow.receive()
        let counters = Self.counters(broker)
        #expect(counters.gaps == [.slow: 1])
        #expect(counters.goodbyes == [.slowConsumer: 1])
        #expect(counters.subscribers.values.reduce(0, +) == 2)
        #expect(counters.delivered.count < 180)
    }

    @Test func `with history a laggard is served from the store`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 8_000
        let broker = TestBroker(limits: limits)
        let (fast, slow) = (broker.connect().joined("room"), broker.connect().joined("room"))
        slow.stopReading(after: 700)
        for number in 1...60 {
            fast.say("room", "\"\(number) \(String(repeating: "x", count: 500))\"")
            broker.run()
        }
        broker.engine.hold()
        slow.readOn()
        #expect(Self.counters(broker).subscribers[.store] == 1)
        broker.engine.release()
        #expect(slow.receive().count == 60)
        let counters = Self.counters(broker)
        #expect(counters.subscribers[.store] == 0)
        #expect(counters.subscribers[.live] == 2)
        #expect(counters.storeReads > 0)
        #expect(counters.delivered.count == 120)
        #expect(fast.receive().count == 60)
    }

    @Test func `what is gone is not counted any more`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room")
        let bob = broker.connect(shard: 1).joined("room")
        let text = broker.connect()
        text.sendBytes("iam:Luke\n")
        #expect(text.receiveLines() == ["Luke has joined"])
        #expect(Self.counters(broker).openConnections == [.jsonLines: 2, .textLines: 1])
        #expect(Self.counters(broker).members == 3)
        for client in [ann, bob, text] { client.drop() }
        broker.run()
        let counters = Self.counters(broker)
        #expect(counters.connectionsOpened == 3)
        #expect(counters.connectionsClosed == [.connectionReset: 3])
        #expect(counters.openConnections.values.allSatisfy { $0 == 0 })
        #expect(counters.members == 0)
        #expect(counters.subscribers.values.allSatisfy { $0 == 0 })
    }

    @Test func `the members of a channel that is removed are gone`() {
        let broker = TestBroker(shards: 2)
        let names = [broker.room(ownedBy: 0), broker.room(ownedBy: 1)]
        let clients = names.enumerated().map { broker.connect(shard: $0.offset).joined($0.element) }
        #expect(Self.counters(broker).members == 2)
        for shard in broker.shards { shard.onLoop.channelRemoved(.make("test")) }
        broker.run()
        #expect(clients.allSatisfy { $0.summaries() == ["goodbye"] })
        let counters = Self.counters(broker)
        #expect(counters.members == 0)
        #expect(counters.goodbyes == [.unknownChannel: 2])
        #expect(counters.subscribers.values.allSatisfy { $0 == 0 })
    }
}
