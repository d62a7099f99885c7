import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// How much a member may say about itself, and who pays for that.
struct ClientDataTests {
    private static let room = "observable-room"

    /// A string of JSON of so many bytes.
    private static func data(_ bytes: Int) -> String { "\"\(String(repeating: "x", count: bytes - 2))\"" }

    private static func broker(clientDataBytes: Int? = 65_536, limits: BrokerLimits = .init()) -> TestBroker {
        var channel = ChannelSettings.make("test", history: 10)
        channel.clientDataBytes = clientDataBytes
        return TestBroker(channels: [channel], limits: limits)
    }

    @Test(arguments: [(nil, 8_192), (100, 100), (65_536, 65_536)] as [(Int?, Int)])
    func `a channel says how much a member may have`(setting: Int?, limit: Int) {
        let broker = Self.broker(clientDataBytes: setting)
        let (ann, bob) = (broker.connect(), broker.connect())
        #expect(ann.handshake(data: Self.data(limit))?.code == nil)
        #expect(ann.request(#""type":"update","client_data":\#(Self.data(limit))"#)?.code == nil)
        #expect(ann.request(#""type":"update","client_data":\#(Self.data(limit + 1))"#)?.code == "message_too_large")
        #expect(bob.handshake(data: Self.data(limit + 1))?.code == "message_too_large")
        #expect(bob.handshake(data: Self.data(limit))?.code == nil)
        #expect(ann.subscribe(Self.room)?.code == nil)
    }

    @Test func `a change of the channel holds from the next update on`() {
        let broker = Self.broker(clientDataBytes: nil)
        let ann = broker.connect()
        ann.handshake()
        #expect(ann.request(#""type":"update","client_data":\#(Self.data(9_000))"#)?.code == "message_too_large")
        broker.change(ChannelSettings.make("test", history: 10).with { $0.clientDataBytes = 9_000 })
        #expect(ann.request(#""type":"update","client_data":\#(Self.data(9_000))"#)?.code == nil)
    }

    @Test func `what is more than 2 KiB takes places of subscriptions, and gives them back`() {
        let broker = Self.broker()
        var places: Int { broker.shards[0].onLoop.context.memory.places }
        let ann = broker.connect()
        ann.handshake(data: Self.data(2_048))
        #expect(places == 0)
        ann.request(#""type":"update","client_data":\#(Self.data(2_048 + 10_240))"#)
        #expect(places == 20)
        ann.request(#""type":"update","client_data":1"#)
        #expect(places == 0)
        ann.request(#""type":"update","client_data":\#(Self.data(60_000))"#)
        ann.drop()
        #expect(places == 0)
    }

    @Test func `where there is no memory left large data is refused, and small is not`() {
        var limits = BrokerLimits()
        limits.memoryTotal = 1 << 20
        let broker = Self.broker(limits: limits)
        var refused = 0
        for _ in 0..<20 {
            let client = broker.connect()
            guard client.handshake(data: Self.data(60_000))?.code != nil else { continue }
            refused += 1
            #expect(client.handshake(data: Self.data(2_000))?.code == nil)
        }
        #expect(refused > 10 && refused < 20)
    }

    @Test func `who has no place in the list of a room does not take it from the others`() {
        var limits = BrokerLimits()
        limits.memberList = 20_000
        let broker = Self.broker(limits: limits)
        let (ann, bob, cat) = (broker.connect(), broker.connect(), broker.connect())
        ann.handshake(data: Self.data(15_000))
        bob.handshake(data: Self.data(10_000))
        cat.handshake(data: Self.data(1_000))
        #expect(ann.subscribe(Self.room)?.code == nil)
        #expect(bob.subscribe(Self.room)?.code == "too_many_members")
        #expect(bob.subscribe("room")?.code == nil)
        cat.subscribe(Self.room)
        #expect(cat.receive().first?.list("data")?.count == 2)
        cat.request(#""type":"update","client_data":\#(Self.data(10_000))"#)
        #expect(ann.receive().map(\.type) == ["observable_members", "observable_member_join"])
        #expect(cat.request(#""type":"members","room":"\#(Self.room)""#)?.list("members")?.count == 2)
        bob.request(#""type":"update","client_data":2"#)
        #expect(bob.subscribe(Self.room)?.code == nil)
    }

    @Test func `who is told to many with large data owes for it`() {
        let broker = Self.broker()
        let watchers = (0..<50).map { _ in broker.connect().joined(Self.room) }
        func cost(ofDataBytes bytes: Int) -> Int {
            let client = broker.connect()
            client.handshake(data: Self.data(bytes))
            client.subscribe(Self.room)
            let connection = broker.shards[0].onLoop.connections.all.max { $0.ref.number < $1.ref.number }
            let before = connection?.share.spent ?? 0
            client.say(Self.room, "1")
            broker.run()
            return (connection?.share.spent ?? 0) - before
        }
        let (small, large) = (cost(ofDataBytes: 100), cost(ofDataBytes: 60_000))
        #expect(large >= small + 50 * 50_000 / 8_192)
        _ = watchers
    }
}
