import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// By WebSocket and as Server-Sent Events the list of members comes before the reply to the subscribe, as Scaledrone has it.
struct MembersFirstTests {
    private static let room = "observable-room"

    enum Way: CaseIterable {
        case webSocket, events, lines

        func connect(to broker: TestBroker) -> TestConnection {
            switch self {
            case .webSocket: broker.connectWebSocket(shard: 1)
            case .events: broker.connectEvents(shard: 1)
            case .lines: broker.connect(shard: 1)
            }
        }

        var start: [String] {
            self == .lines ? ["reply 2", "observable_members"] : ["observable_members", "reply 2"]
        }
    }

    private static func names(_ frame: ReceivedFrame?) -> [String] {
        (frame?.list("data") ?? []).map { $0.object("clientData")?.text("name") ?? "" }
    }

    /// One in the room who has published three messages.
    private static func speaker(_ broker: TestBroker) -> TestConnection {
        let ann = broker.connect()
        ann.handshake(data: #"{"name":"Ann"}"#)
        ann.subscribe(Self.room)
        for number in 1...3 { ann.publish(Self.room, "\(number)") }
        return ann
    }

    @Test(arguments: Way.allCases)
    func `the members come first, the newest member before all, and the history last`(way: Way) {
        let broker = TestBroker(shards: 2)
        let ann = Self.speaker(broker)
        let bob = way.connect(to: broker)
        bob.handshake(data: #"{"name":"Bob"}"#)
        let callback = bob.post(#""type":"subscribe","room":"\#(Self.room)","history_count":2"#)
        #expect(callback == 2)
        ann.say(Self.room, "4")
        let frames = bob.receive()
        #expect(frames.map(\.summary) == way.start + ["history_message 2", "history_message 3", "publish 4"])
        #expect(Self.names(frames.first { $0.type == "observable_members" }) == ["Bob", "Ann"])
    }

    @Test(arguments: Way.allCases)
    func `who subscribes again gets a fresh list in the same place`(way: Way) {
        let broker = TestBroker(shards: 2)
        let ann = Self.speaker(broker)
        let bob = way.connect(to: broker)
        bob.handshake(data: #"{"name":"Bob"}"#)
        bob.subscribe(Self.room)
        _ = bob.receive()
        ann.request(#""type":"update","client_data":{"name":"Anna"}"#)
        ann.say(Self.room, "4")
        _ = bob.receive()
        #expect(bob.post(#""type":"subscribe","room":"\#(Self.room)""#) == 3)
        let frames = bob.receive()
        let list = "observable_members"
        #expect(frames.map(\.summary) == (way == .lines ? ["reply 3", list] : [list, "reply 3"]))
        #expect(Self.names(frames.first { $0.type == "observable_members" }) == ["Bob", "Anna"])
    }

    @Test(arguments: Way.allCases)
    func `each subscribe is answered once, also of a room that is left at once`(way: Way) {
        let broker = TestBroker(shards: 2)
        _ = Self.speaker(broker)
        let bob = way.connect(to: broker)
        bob.handshake()
        for callback in [10, 12] {
            bob.send(#"{"type":"subscribe","room":"\#(Self.room)","callback":\#(callback)}"#)
            bob.send(#"{"type":"unsubscribe","room":"\#(Self.room)","callback":\#(callback + 1)}"#)
        }
        #expect(bob.receive().compactMap(\.callback) == [10, 11, 12, 13])
    }

    @Test(arguments: Way.allCases)
    func `a client that does not read gets each reply once, by lines and WebSocket in order`(way: Way) {
        var limits = BrokerLimits()
        limits.unreadReplies = 4_096
        let broker = TestBroker(shards: 2, limits: limits)
        let ann = broker.connect()
        ann.handshake(data: #"{"name":"\#(String(repeating: "x", count: 1_500))"}"#)
        let rooms = (0..<8).map { "observable-\($0)" }
        for room in rooms { ann.subscribe(room) }
        let bob = way.connect(to: broker)
        bob.handshake()
        bob.stopReading()
        for (index, room) in rooms.enumerated() {
            bob.send(#"{"type":"subscribe","room":"\#(room)","callback":\#(100 + index)}"#)
        }
        bob.send(#"{"type":"unsubscribe","rooms":["observable-7","observable-6"],"callback":200}"#)
        bob.send(#"{"type":"ping","callback":201}"#)
        broker.run()
        bob.readOn()
        let replies = bob.receive().compactMap(\.callback)
        // an event stream begins with the rooms of one loop, and goes on with those of the other
        #expect((way == .events ? replies.sorted() : replies) == Array(100..<108) + [200, 201])
    }

    @Test func `a room without members' list, and a subscribe of several rooms, begin with the reply`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        ann.handshake()
        ann.subscribe("room")
        #expect(ann.summaries() == [])
        _ = ann.post(#""type":"subscribe","rooms":["room","\#(Self.room)"]"#)
        #expect(ann.summaries() == ["reply 3", "observable_members"])
    }

    @Test func `a stream for one room begins with its members`() {
        let broker = TestBroker()
        let stream = EventStreamRoom(
            handshake: HandshakeRequest(channel: "test"),
            room: RoomName(Self.room),
            subscribe: SubscribeRequest(rooms: .one(RoomName(Self.room)))
        )
        #expect(broker.connectEvents(room: stream).summaries() == ["observable_members", "reply 0"])
    }
}
