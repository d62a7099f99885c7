import NIOCore
import RoomCore
import RoomTestKit
import Testing

@testable import RoomDelivery

/// An unsubscribe that names many rooms is handled in as many turns as it takes.
struct DividedUnsubscribeTests {
    private static let count = 1_000
    private static let rooms = (0..<Self.count).map { "\"room-\($0)\"" }.joined(separator: ",")
    private static let unsubscribe = #"{"type":"unsubscribe","rooms":[\#(Self.rooms)],"callback":900}"#

    private static func begin(_ broker: TestBroker, _ fields: String = "", then frames: String...) -> TestConnection {
        let ann = broker.connect()
        ann.handshake(channel: "test", data: nil, fields)
        ann.request(#""type":"subscribe","rooms":[\#(Self.rooms)]"#)
        _ = ann.receive()
        ann.sendBytes(([Self.unsubscribe] + frames).joined(separator: "\n") + "\n")
        broker.deliverInput()
        return ann
    }

    /// Rooms that the only connection has not left.
    private static func left(_ broker: TestBroker) -> Int {
        broker.shards[0].onLoop.connections.all.reduce(0) { $0 + ($1.member?.subscriptions.all.count ?? 0) }
    }

    @Test func `one turn leaves only some of the rooms, and the reply has all`() {
        let broker = TestBroker()
        let ann = Self.begin(broker)
        #expect(Self.left(broker) >= Self.count - WorkShare.quantum)
        let reply = ann.reply(to: 900)
        #expect(reply?.list("rooms")?.count == Self.count)
        #expect(reply?.list("rooms")?.allSatisfy { $0.code == nil } ?? false)
        #expect(Self.left(broker) == 0)
        #expect(broker.shards[0].onLoop.counters.members == 0)
    }

    @Test func `what comes behind it waits: a room can be entered again`() {
        let broker = TestBroker()
        let again = #"{"type":"subscribe","room":"room-\#(Self.count - 1)","callback":901}"#
        let last = #"{"type":"publish","room":"room-\#(Self.count - 1)","message":"hello"}"#
        let ann = Self.begin(broker, then: again, last)
        #expect(ann.summaries() == ["reply 900", "reply 901", "publish 1"])
        #expect(broker.shards[0].onLoop.counters.members == 1)
    }

    @Test(arguments: ["", #","resumable":true"#])
    func `a connection that is lost meanwhile leaves nobody in a room`(fields: String) {
        let broker = TestBroker()
        let ann = Self.begin(broker, fields)
        ann.dropBeforeAnswer()
        broker.run()
        // the rooms that it wanted to leave do not linger
        #expect(broker.shards[0].onLoop.counters.members == 0)
    }

    @Test func `a broker that shuts down meanwhile answers it first`() {
        let broker = TestBroker()
        let ann = Self.begin(broker)
        for shard in broker.shards { shard.onLoop.drain(spreadMilliseconds: 0) }
        #expect(ann.summaries() == ["reply 900", "goodbye"])
    }
}
