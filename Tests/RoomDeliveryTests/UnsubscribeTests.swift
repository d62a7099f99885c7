import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Leaving a room as Scaledrone's clients do.
struct UnsubscribeTests {
    private static let leave = #"{"type":"unsubscribe","room":"room""#

    @Test func `without a callback it is not an error to leave a room that one is not in`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        ann.handshake()
        ann.send(Self.leave + "}")
        #expect(ann.summaries() == [])
        #expect(ann.unsubscribe("room")?.code == "not_subscribed")
    }

    @Test(arguments: ["test", "plain"], [0, 1])
    func `who publishes and leaves in one write hears its own message`(channel: String, shard: Int) {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect(shard: shard).joined("room", channel: channel)
        let bob = broker.connect(shard: 1 - shard).joined("room", channel: channel)
        let say = #"{"type":"publish","room":"room","message":1}"#
        ann.sendBytes([say, Self.leave + #","callback":9}"#, say].map { $0 + "\n" }.joined())
        bob.say("room", "2")
        #expect(ann.summaries() == ["publish 1", "reply 9"])
        #expect(bob.receive().map(\.seq) == [1, 2, 3])
        ann.subscribe("room")
        ann.say("room", "4")
        #expect(ann.summaries() == ["publish 4"])
    }

    @Test func `of several rooms it leaves all, and the reply comes last`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("one")
        ann.subscribe("two")
        for room in ["one", "two", "one"] { ann.say(room, "1") }
        ann.send(#"{"type":"unsubscribe","rooms":["one","none","two"],"callback":9}"#)
        let summaries = ann.summaries()
        #expect(summaries.count == 4)
        #expect(summaries.last == "reply 9")
        #expect(broker.shards.map { $0.onLoop.counters.members }.reduce(0, +) == 0)
    }

    @Test func `who does not read is not waited for`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        let bob = broker.connect().joined("room")
        ann.stopReading()
        for _ in 0..<3 { bob.publish("room", "\"\(String(repeating: "x", count: 1_000))\"") }
        ann.say("room", "4")
        ann.send(Self.leave + #","callback":9}"#)
        broker.run()
        #expect(broker.shards[0].onLoop.counters.members == 1)
        ann.readOn()
        #expect(ann.summaries().last == "reply 9")
    }

    @Test func `who is kicked while it leaves is answered`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect()
        let id = ann.handshake()?.text("client_id") ?? ""
        ann.subscribe("room")
        broker.engine.hold()
        ann.say("room", "0")
        broker.run()
        broker.kick(id, from: "room")
        broker.run()
        ann.say("room", "1")
        ann.send(Self.leave + #","callback":9}"#)
        broker.run()
        broker.engine.release()
        #expect(ann.summaries() == ["publish 1", "removed", "reply 9"])
        #expect(broker.shards.map { $0.onLoop.counters.members }.reduce(0, +) == 0)
    }

    @Test func `a broker that shuts down answers who leaves`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room")
        broker.engine.hold()
        ann.say("room", "0")
        ann.send(Self.leave + #","callback":9}"#)
        broker.run()
        for shard in broker.shards { shard.onLoop.drain(spreadMilliseconds: 0) }
        #expect(ann.summaries() == ["reply 9", "goodbye"])
        broker.engine.release()
    }
}
