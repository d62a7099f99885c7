import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// The event stream of those who watch the broker.
struct EventHubTests {
    private static func hub() -> EventHub { EventHub(epoch: Epoch(rawValue: 1)) }

    private static func post(_ hub: EventHub, _ count: Int = 1) {
        for number in 0..<count { hub.post(time: Int64(number), .roomChanged(.make(), members: number)) }
    }

    private static func numbers(_ events: AsyncStream<BrokerEvent>, _ count: Int) async -> [UInt64] {
        var numbers: [UInt64] = []
        var iterator = events.makeAsyncIterator()
        while numbers.count < count, let event = await iterator.next() { numbers.append(event.number) }
        return numbers
    }

    @Test func `nothing is made or kept before somebody watches`() async {
        let hub = Self.hub()
        var isMade = false
        func kind() -> BrokerEvent.Kind {
            isMade = true
            return .channelChanged(.make())
        }
        hub.post(time: 0, kind())
        #expect(!isMade)
        let (events, isIncomplete) = hub.watch(after: 0)
        #expect(!isIncomplete)
        hub.post(time: 0, kind())
        #expect(isMade)
        #expect(await Self.numbers(events, 1) == [1])
    }

    @Test func `each watcher gets what comes, and from where it left off`() async {
        let hub = Self.hub()
        let first = hub.watch(after: nil).events
        Self.post(hub, 5)
        let second = hub.watch(after: nil).events
        let third = hub.watch(after: 3)
        Self.post(hub, 2)
        #expect(await Self.numbers(first, 7) == Array(1...7))
        #expect(await Self.numbers(second, 2) == [6, 7])
        #expect(!third.isIncomplete)
        #expect(await Self.numbers(third.events, 4) == [4, 5, 6, 7])
    }

    @Test func `what is not kept any more, or is not yet, is said`() async {
        let hub = Self.hub()
        _ = hub.watch(after: nil)
        Self.post(hub, EventHub.kept + 10)
        #expect(hub.watch(after: 9).isIncomplete)
        let oldest = hub.watch(after: 10)
        #expect(!oldest.isIncomplete)
        #expect(await Self.numbers(oldest.events, 1) == [11])
        let newest = UInt64(EventHub.kept + 10)
        #expect(!hub.watch(after: newest).isIncomplete)
        #expect(hub.watch(after: newest + 1).isIncomplete)
    }

    @Test func `a watcher that does not read comes to its end, the others go on`() async {
        let hub = Self.hub()
        let slow = hub.watch(after: nil).events
        Self.post(hub, EventHub.waiting)
        let other = hub.watch(after: nil).events
        Self.post(hub, EventHub.kept)
        var count = 0
        for await _ in slow { count += 1 }
        #expect(count < EventHub.waiting + EventHub.kept, "it has ended, and says so by that")
        _ = other
        let next = hub.watch(after: nil).events
        Self.post(hub)
        #expect(await Self.numbers(next, 1) == [UInt64(EventHub.waiting + EventHub.kept + 1)])
    }

    @Test func `a broker tells who comes and goes, and why`() async {
        let broker = TestBroker(shards: 2)
        let events = broker.gateway.events.watch(after: nil).events
        let ann = broker.connect()
        let reply = ann.handshake(#","resumable":true"#)
        let id = ClientID(reply?.text("client_id") ?? "")
        ann.subscribe("room")
        let again = broker.connect(shard: 1, from: "192.0.2.7")
        again.handshake(#","resume":"\#(reply?.text("resume_token") ?? "")""#)
        again.subscribe("room")
        again.drop()
        var kinds: [BrokerEvent.Kind] = []
        var iterator = events.makeAsyncIterator()
        while kinds.count < 6, let event = await iterator.next() { kinds.append(event.kind) }
        #expect(
            kinds == [
                .connected(.make(), id, address: "127.0.0.1"), .roomChanged(.make(), members: 1),
                .disconnected(.make(), id, .code(.replaced)), .connected(.make(), id, address: "192.0.2.7"),
                .disconnected(.make(), id, .connectionReset), .roomChanged(.make(), members: 0),
            ]
        )
    }
}
