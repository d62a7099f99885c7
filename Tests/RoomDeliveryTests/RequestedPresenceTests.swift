import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Members that ask to be shown who is in a plain room, beside others that do not.
struct RequestedPresenceTests {
    private static let asks = #","presence":true"#

    /// By each wire format that has frames, on two shards.
    enum Way: CaseIterable {
        case lines, webSocket, events

        func connect(to broker: TestBroker, shard: Int = 1) -> TestConnection {
            switch self {
            case .lines: broker.connect(shard: shard)
            case .webSocket: broker.connectWebSocket(shard: shard)
            case .events: broker.connectEvents(shard: shard)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `who asks is shown the members of a plain room, and who comes, goes and changes`(way: Way) {
        let broker = TestBroker(shards: 2)
        let bob = broker.connect().joined("room")
        let ann = way.connect(to: broker)
        ann.handshake()
        #expect(ann.subscribe("room", Self.asks)?.flag("presence") == true)
        let list = ann.receive()
        #expect(list.map(\.summary) == ["observable_members"])
        #expect(list.first?.list("data")?.count == 2)
        bob.request(#""type":"update","client_data":{"name":"Bob"}"#)
        let cid = broker.connect().joined("room")
        cid.unsubscribe("room")
        let frames = ann.receive()
        #expect(
            frames.map(\.summary) == [
                "observable_member_update", "observable_member_join", "observable_member_leave",
            ]
        )
        #expect(frames.first?.object("data")?.object("clientData")?.text("name") == "Bob")
        #expect(bob.summaries() == [])
    }

    @Test(arguments: Way.allCases)
    func `who does not ask is sent no bytes, and its place goes on`(way: Way) {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room", Self.asks)
        let bob = way.connect(to: broker).joined("room")
        let before = bob.socket.writes
        for _ in 0..<5 { _ = broker.connect(shard: 1).joined("room") }
        _ = ann.receive()
        ann.request(#""type":"update","client_data":{"name":"Ann"}"#)
        #expect(bob.socket.writes == before)
        let replica = broker.shards[1].onLoop.local.replicas[.make("room")]
        let end = replica?.window.end ?? 0
        #expect(end > 5)
        #expect(replica?.subscribers.allSatisfy { $0.cursor == Cursor(chunk: end, offset: 0) } == true)
        ann.publish("room", "1")
        #expect(bob.summaries() == ["publish 1"])
    }

    @Test func `in a batch of messages and presence each gets what it is to get, in order`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect(shard: 1).joined("room", Self.asks)
        let bob = broker.connect(shard: 1).joined("room")
        let cid = broker.connect()
        cid.handshake()
        _ = ann.receive()
        cid.send(#"{"type":"publish","room":"room","message":1}"#)
        cid.send(#"{"type":"subscribe","room":"room"}"#)
        cid.send(#"{"type":"publish","room":"room","message":2,"echo":false,"callback":7}"#)
        cid.send(#"{"type":"unsubscribe","room":"room"}"#)
        #expect(bob.summaries() == ["publish 1", "publish 2"])
        #expect(
            ann.summaries() == ["publish 1", "observable_member_join", "publish 2", "observable_member_leave"]
        )
    }

    @Test func `a room in which nobody asks has no entries of presence`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", #","presence":false"#)
        broker.connect().joined("room").unsubscribe("room")
        #expect(ann.summaries() == [])
        #expect(broker.shards[0].onLoop.local.replicas[.make("room")]?.window.end == 0)
    }

    // MARK: What is said in the reply

    @Test(arguments: PresenceScope.allCases, [nil, false, true])
    func `the reply says whether the member is shown who is there, if it has asked`(
        scope: PresenceScope,
        presence: Bool?
    ) {
        let broker = TestBroker(channels: [ChannelSettings.make().with { $0.presence = scope }])
        for room in ["room", "observable-room"] {
            let ann = broker.connect()
            ann.handshake()
            let reply = ann.subscribe(room, presence.map { ",\"presence\":\($0)" } ?? "")
            let isShown = scope == .all || room != "room" || scope == .ask && presence == true
            #expect(reply?.flag("presence") == presence.map { _ in isShown })
            #expect(ann.summaries() == (isShown ? ["observable_members"] : []))
        }
    }

    @Test func `each of several rooms says it`() {
        let broker = TestBroker(channels: [ChannelSettings.make().with { $0.presence = .prefix }])
        let ann = broker.connect()
        ann.isDumped = false  // one of the names is none
        ann.handshake()
        let rooms = #""type":"subscribe","rooms":["room","observable-room",""]"#
        #expect(ann.request(rooms + Self.asks)?.list("rooms")?.map { $0.flag("presence") } == [false, true, nil])
        #expect(ann.request(rooms)?.list("rooms")?.map { $0.flag("presence") } == [nil, nil, nil])
    }

    @Test func `presence is true or false`() {
        let ann = TestBroker().connect()
        ann.isDumped = false  // a number is not an answer
        ann.handshake()
        #expect(ann.subscribe("room", #","presence":1"#)?.code == "invalid_field")
        #expect(ann.subscribe("room", #","presence":null"#)?.keys.contains("presence") == false)
    }

    @Test func `the members of any room can be asked for`() {
        let broker = TestBroker()
        _ = broker.connect().joined("room")
        let ann = broker.connect()
        ann.handshake()
        #expect(ann.request(#""type":"members","room":"room""#)?.number("count") == 1)
        broker.change(ChannelSettings.make().with { $0.presence = .prefix })
        #expect(ann.request(#""type":"members","room":"room""#)?.code == "not_observable")
    }

    // MARK: Asked again

    @Test func `another subscribe asks for it, or no more, at its place in the order`() {
        let broker = TestBroker(shards: 2)
        let (ann, bob) = (broker.connect(shard: 1).joined("room"), broker.connect())
        _ = bob.joined("room")
        bob.request(#""type":"update","client_data":1"#)
        #expect(ann.subscribe("room", Self.asks)?.flag("presence") == true)
        bob.request(#""type":"update","client_data":2"#)
        #expect(ann.summaries() == ["observable_members", "observable_member_update"])
        // without a word it stays as it is
        #expect(ann.subscribe("room")?.keys.contains("presence") == false)
        bob.request(#""type":"update","client_data":3"#)
        #expect(ann.summaries() == ["observable_members", "observable_member_update"])
        #expect(ann.subscribe("room", #","presence":false"#)?.flag("presence") == false)
        bob.request(#""type":"update","client_data":4"#)
        bob.publish("room", "1")
        #expect(ann.summaries() == ["publish 1"])
    }

    @Test(arguments: [0, 1])
    func `a resumed session goes on as it has asked, until it says otherwise`(shard: Int) {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        ann.subscribe("room", Self.asks)
        let watcher = broker.connect().joined("room", Self.asks)
        ann.drop()
        let again = broker.connect(shard: shard)
        again.handshake(#","resume":"\#(token)""#)
        again.subscribe("room")
        #expect(again.summaries() == ["observable_members"])
        broker.connect().joined("room").unsubscribe("room")
        #expect(again.summaries() == ["observable_member_join", "observable_member_leave"])
        #expect(watcher.summaries() == ["observable_member_join", "observable_member_leave"])
    }

    // MARK: Others

    @Test func `who reads slowly and jumps is shown the members as they are then`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 8_000
        let broker = TestBroker(limits: limits)
        let fast = broker.connect().joined("room", channel: "plain")
        let slow = broker.connect().joined("room", channel: "plain", #","overflow":"latest""# + Self.asks)
        let plain = broker.connect().joined("room", channel: "plain", #","overflow":"latest""#)
        for client in [slow, plain] { client.stopReading(after: 700) }
        for number in 1...60 {
            fast.say("room", "\"\(number) \(String(repeating: "x", count: 500))\"")
            broker.run()
        }
        _ = broker.connect().joined("room", channel: "plain")
        for client in [slow, plain] { client.readOn() }
        let list = slow.receive().last { $0.type?.hasPrefix("observable_") ?? false }
        #expect(list?.summary == "observable_members" && list?.number("count") == 4)
        #expect(plain.receive().allSatisfy { !($0.type?.hasPrefix("observable_") ?? false) })
    }

    @Test func `plain text is told nothing, and is a member like all`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("lobby", Self.asks)
        let luke = broker.connect()
        luke.sendBytes("iam:Luke\r\n")
        #expect(luke.receiveLines() == ["Luke has joined"])
        #expect(ann.receive().map(\.summary).contains("observable_member_join"))
        _ = broker.connect().joined("lobby")
        #expect(luke.receiveLines() == [])
    }

    @Test func `after a clear those who ask are shown the members, and nobody else`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("room", Self.asks), broker.connect().joined("room"))
        _ = ann.receive()
        _ = broker.clear(.make("room"))
        #expect(ann.summaries() == ["room_cleared", "observable_members"])
        #expect(bob.summaries() == ["room_cleared"])
    }
}
