import NIOCore
import RoomCore
import RoomDelivery
import RoomTestKit
import Testing

/// Many rooms, heartbeats, drains: what concerns one connection as a whole.
struct ConnectionLifeTests {
    @Test func `many rooms are answered in one reply, each in its place`() {
        let broker = TestBroker(shards: 3)
        let ann = broker.connect()
        ann.isDumped = false  // one of the names is none
        ann.handshake()
        ann.subscribe("b")
        let reply = ann.request(#""type":"subscribe","rooms":["a","b","","c"]"#)
        let rooms = reply?.list("rooms") ?? []
        #expect(rooms.map(\.room) == ["a", "b", "", "c"])
        #expect(rooms.map(\.code) == [nil, nil, "room_name_invalid", nil])
        #expect(rooms.map(\.seq) == [0, 0, nil, 0])
        let listed = ann.request(#""type":"rooms""#)?.list("rooms")?.compactMap(\.room) ?? []
        #expect(Set(listed) == ["a", "b", "c"])
        let left = ann.request(#""type":"unsubscribe","rooms":["a","x"]"#)?.list("rooms")
        #expect(left?.map(\.code) == [nil, "not_subscribed"])
    }

    @Test func `nothing of a room comes before the reply that names it`() {
        let broker = TestBroker(shards: 2)
        let (first, second) = (broker.room(ownedBy: 0), broker.room(ownedBy: 1))
        let (ann, bob) = (broker.connect(), broker.connect().joined(first))
        ann.handshake()
        broker.engine.hold()
        let callback = ann.post("\"type\":\"subscribe\",\"rooms\":[\"\(first)\",\"\(second)\"]")
        bob.say(first, "1", #","ephemeral":true"#)
        #expect(ann.receive().isEmpty)
        broker.engine.release()
        let frames = ann.receive()
        #expect(frames.first?.callback == callback)
        #expect(frames.dropFirst().map(\.summary) == ["publish -"])
    }

    @Test func `a connection is in so many rooms at most`() {
        var limits = BrokerLimits()
        limits.roomsPerConnection = 2
        let ann = TestBroker(limits: limits).connect()
        ann.handshake()
        let codes = ["a", "b", "c"].map { ann.subscribe($0)?.code }
        #expect(codes == [nil, nil, "too_many_rooms"])
        ann.unsubscribe("a")
        #expect(ann.subscribe("c")?.code == nil)
    }

    @Test func `a channel has so many rooms with members at most, over all loops`() {
        var limits = BrokerLimits()
        limits.roomsPerChannel = 3
        let ann = TestBroker(shards: 3, limits: limits).connect()
        ann.handshake(channel: "plain")
        let codes = ["a", "b", "c", "d"].map { ann.subscribe($0)?.code }
        #expect(codes == [nil, nil, nil, "too_many_rooms"])
        ann.unsubscribe("b")
        #expect(ann.subscribe("d")?.code == nil)
    }

    @Test func `who asked to be pinged is, and is let go after two silent intervals`() {
        let broker = TestBroker()
        let (ann, quiet) = (broker.connect(), broker.connect())
        ann.handshake(#","heartbeat":10"#)
        quiet.handshake()
        broker.advance(by: .seconds(10))
        #expect(ann.summaries() == ["ping"])
        ann.send(#"{"type":"pong"}"#)
        broker.advance(by: .seconds(10))
        #expect(ann.summaries() == ["ping"])
        broker.advance(by: .seconds(10))
        #expect(ann.receive().last?.code == "heartbeat_timeout")
        broker.advance(by: .hours(24))
        #expect(quiet.request(#""type":"ping""#) != nil)
    }

    @Test func `a drain answers what was asked, says goodbye, and closes`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect(shard: 1).joined("room")
        let idle = broker.connect()
        broker.engine.hold()
        let callback = ann.post(#""type":"publish","room":"room","message":1"#)
        broker.run()
        for shard in broker.shards { shard.onLoop.drain(spreadMilliseconds: 5_000) }
        ann.say("room", "2")
        #expect(idle.receive().last?.code == "shutting_down")
        #expect(!ann.isClosed)
        broker.engine.release()

        let frames = ann.receive()
        #expect(frames.first?.callback == callback)
        #expect(frames.last?.type == "goodbye")
        #expect(frames.last?.flag("reconnect") == true)
        #expect((0..<5_000).contains(frames.last?.number("retry_after_ms") ?? -1))
        #expect(ann.isClosed)
        #expect(broker.engine.entries(of: .make("room")).count == 1)
    }

    @Test func `a connection whose socket breaks is gone, and its rooms are left`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("observable-room"), broker.connect().joined("observable-room"))
        _ = ann.receive()
        bob.breakSocket()
        ann.say("observable-room", "1")
        #expect(ann.summaries() == ["publish 1", "observable_member_leave"])
        #expect(bob.isGone)
        #expect(broker.connectionTotal == 1)
    }

    @Test func `a peer that does not read its goodbye is closed all the same`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        ann.stopReading()
        broker.shards[0].onLoop.drain(spreadMilliseconds: 1)
        broker.advance(by: .seconds(6))
        #expect(ann.isGone)
        #expect(broker.connectionTotal == 0)
    }
}
