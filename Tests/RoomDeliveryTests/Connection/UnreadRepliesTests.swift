import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What a client can make the broker hold by not reading, in bytes.
struct UnreadRepliesTests {
    @Test func `the connection with most unread is named above the limit`() {
        var unread = ConnectionBytes()
        unread.set(100, of: 1)
        unread.set(300, of: 2)
        unread.set(200, of: 3)
        #expect(unread.total == 600)
        #expect(unread.largest(above: 600) == nil)
        #expect(unread.largest(above: 599) == 2)
        unread.set(0, of: 2)
        unread.set(50, of: 1)
        #expect(unread.total == 250)
        #expect(unread.largest(above: 0) == 3)
    }

    private static let data = "\"\(String(repeating: "x", count: 500))\""

    /// A room with a list of about 50 kB.
    private static func crowd(_ broker: TestBroker, _ room: String = "observable-crowd") -> [TestConnection] {
        (0..<100).map { _ in
            let client = broker.connect()
            client.handshake(data: Self.data)
            client.subscribe(room)
            return client
        }
    }

    private static func unread(_ broker: TestBroker) -> Int { broker.shards[0].onLoop.connections.unread.total }

    /// What lists of members take that are not sent yet.
    private static func waitingLists(_ broker: TestBroker) -> Int {
        broker.shards[0].onLoop.connections.all.reduce(0) { $0 + ($1.member?.subscriptions.listBytes ?? 0) }
    }

    @Test func `queries are not answered while too much is unread`() {
        let broker = TestBroker()
        let crowd = Self.crowd(broker)
        crowd[0].stopReading()
        for callback in 1...500 {
            crowd[0].send("{\"type\":\"members\",\"room\":\"observable-crowd\",\"callback\":\(callback)}")
        }
        broker.run()
        #expect(Self.unread(broker) > 256 * 1_024)
        #expect(Self.unread(broker) < 256 * 1_024 + 60_000)
        crowd[0].readOn()
        #expect(crowd[0].receive().filter { $0.callback != nil }.count == 500)
        #expect(Self.unread(broker) == 0)
    }

    @Test func `the lists of many rooms are sent as far as they are read`() {
        let broker = TestBroker()
        let rooms = (0..<20).map { "observable-\($0)" }
        for room in rooms { _ = Self.crowd(broker, room) }
        let ann = broker.connect()
        ann.handshake()
        ann.stopReading()
        let names = rooms.map { "\"\($0)\"" }.joined(separator: ",")
        ann.send("{\"type\":\"subscribe\",\"rooms\":[\(names)],\"callback\":7}")
        broker.run()
        let (unread, waiting) = (Self.unread(broker), Self.waitingLists(broker))
        #expect((256 * 1_024...256 * 1_024 + 70_000).contains(unread - waiting))
        // those that are not sent yet count, too
        #expect((15 * 50_000...16 * 60_000).contains(waiting))
        ann.readOn()
        let frames = ann.receive()
        #expect(frames.first?.callback == 7)
        #expect(frames.filter { $0.type == "observable_members" }.map(\.room) == rooms)
        ann.publish(rooms[19], "1")
        #expect(ann.summaries() == ["publish 1"])
    }

    @Test func `a subscribe that is answered behind a large reply begins`() {
        var limits = BrokerLimits()
        limits.unreadReplies = 20_000
        let broker = TestBroker(limits: limits)
        let crowd = Self.crowd(broker)
        let ann = broker.connect()
        ann.handshake()
        ann.sendBytes(
            #"{"type":"members","room":"observable-crowd","callback":90}"# + "\n"
                + #"{"type":"subscribe","room":"observable-x","callback":91}"# + "\n"
        )
        #expect(ann.summaries() == ["reply 90", "reply 91", "observable_members"])
        crowd[0].publish("observable-x", "1")
        #expect(ann.summaries() == ["publish 1"])
    }

    /// A client whose subscribe to ten crowded rooms waits for the log of another one.
    private static func waiting(_ limits: BrokerLimits) -> (TestBroker, TestConnection) {
        let broker = TestBroker(limits: limits)
        let rooms = (0..<10).map { "observable-\($0)" }
        for room in rooms { _ = Self.crowd(broker, room) }
        let ann = broker.connect()
        ann.handshake()
        broker.engine.hold()
        let names = (rooms + ["unopened"]).map { "\"\($0)\"" }.joined(separator: ",")
        ann.send("{\"type\":\"subscribe\",\"rooms\":[\(names)],\"history_count\":1,\"callback\":7}")
        broker.run()
        return (broker, ann)
    }

    @Test func `lists that wait for the answer to a subscribe are unread, and bounded`() {
        var limits = BrokerLimits()
        limits.waitingLists = 200_000
        let (broker, ann) = Self.waiting(limits)
        #expect((140_000...200_000).contains(Self.unread(broker)))
        broker.engine.release()
        let lists = ann.receive().filter { $0.type == "observable_members" }
        #expect(lists.map { $0.number("count") } == Array(repeating: 101, count: 10))
        #expect((2...4).contains(lists.count { $0.flag("truncated") != true }))
        #expect(Self.unread(broker) == 0)
    }

    @Test func `beyond the total the client goes for whom most lists wait`() {
        var limits = BrokerLimits()
        limits.unreadTotal = 300_000
        let (broker, ann) = Self.waiting(limits)
        #expect(Self.unread(broker) == 0)
        #expect(ann.receive().last?.code == "slow_consumer")
    }

    @Test func `beyond the total the client with most unread is disconnected`() {
        var limits = BrokerLimits()
        limits.unreadTotal = 200_000
        let broker = TestBroker(limits: limits)
        let crowd = Self.crowd(broker)
        for client in crowd[..<3] { client.stopReading() }
        for (client, count) in zip(crowd, [1, 1, 3]) {
            for callback in 0..<count {
                client.send("{\"type\":\"members\",\"room\":\"observable-crowd\",\"callback\":\(callback)}")
            }
        }
        broker.run()
        #expect(Self.unread(broker) <= 200_000)
        for client in crowd[..<3] { client.readOn() }
        #expect(crowd[2].receive().last?.code == "slow_consumer")
        #expect(crowd[1].receive().filter { $0.callback != nil }.count == 1)
        #expect(crowd[0].receive().filter { $0.callback != nil }.count == 1)
    }
}
