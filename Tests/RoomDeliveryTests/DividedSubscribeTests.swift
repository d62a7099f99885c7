import NIOCore
import RoomCore
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A subscribe that names many rooms is handled in as many turns as it takes.
struct DividedSubscribeTests {
    private static let count = 1_000
    private static let rooms = (0..<Self.count).map { "\"room-\($0)\"" }.joined(separator: ",")
    private static let subscribe = #"{"type":"subscribe","rooms":[\#(Self.rooms)],"callback":900}"#

    private static func begin(_ broker: TestBroker, _ fields: String = "", then frames: String...) -> TestConnection {
        let ann = broker.connect()
        ann.handshake(channel: "test", data: nil, fields)
        ann.sendBytes(([Self.subscribe] + frames).joined(separator: "\n") + "\n")
        broker.deliverInput()
        return ann
    }

    private static func owned(_ broker: TestBroker) -> Int { broker.shards.reduce(0) { $0 + $1.onLoop.ownedTotal } }

    @Test func `one turn asks only some of the rooms, and the reply has all`() {
        let broker = TestBroker()
        let ann = Self.begin(broker)
        #expect((1...WorkShare.quantum).contains(Self.owned(broker)))
        let reply = ann.reply(to: 900)
        #expect(reply?.list("rooms")?.count == Self.count)
        #expect(reply?.list("rooms")?.allSatisfy { $0.code == nil } ?? false)
        #expect(Self.owned(broker) == Self.count)
    }

    @Test func `what comes behind it waits: a publish reaches its own room`() {
        let broker = TestBroker()
        let last = #"{"type":"publish","room":"room-\#(Self.count - 1)","message":"hello"}"#
        let ann = Self.begin(broker, then: last, #"{"type":"ping"}"#)
        #expect(ann.summaries() == ["pong", "reply 900", "publish 1"])
    }

    @Test func `the end of the input waits for it`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        // without its newline
        ann.sendBytes(Self.subscribe)
        ann.halfClose()
        #expect(ann.reply(to: 900)?.list("rooms")?.count == Self.count)
        #expect(ann.isGone)
    }

    @Test(arguments: ["", #","resumable":true"#])
    func `a connection that is lost meanwhile leaves nobody in a room`(fields: String) {
        let broker = TestBroker()
        let ann = Self.begin(broker, fields)
        ann.drop()
        broker.run()
        broker.advance(by: .seconds(60))
        #expect(broker.shards.allSatisfy { $0.onLoop.counters.members == 0 })
    }

    @Test func `a broker that shuts down meanwhile answers it first`() {
        let broker = TestBroker()
        let ann = Self.begin(broker)
        for shard in broker.shards { shard.onLoop.drain(spreadMilliseconds: 0) }
        #expect(ann.summaries() == ["reply 900", "goodbye"])
    }
}
