import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Rooms that are cleared while people are in them.
struct ClearingTests {
    private static func key(_ channel: String) -> RoomKey { .make("room", channel: channel) }

    private static func publish(_ count: Int, by client: TestConnection) {
        for number in 1...count { client.publish("room", "\(number)") }
    }

    @Test(arguments: ["test", "plain"], [1, 2])
    func `members are told, and the room begins anew`(channel: String, shards: Int) {
        let broker = TestBroker(shards: shards)
        let ann = broker.connect().joined("room", channel: channel)
        let bob = broker.connect(shard: shards - 1).joined("room", channel: channel)
        Self.publish(3, by: ann)
        _ = (ann.receive(), bob.receive())
        let answer = broker.clear(Self.key(channel))
        let told = [ann, bob].map { $0.receive() }
        for frames in told {
            #expect(frames.map(\.summary) == ["room_cleared"])
            #expect(frames.first?.text("epoch") == answer.value?.description)
            #expect(frames.first?.seq == 0)
            #expect(frames.first?.object("sender")?.text("id") == "mod")
            #expect(frames.first?.isStamped == true)
        }
        #expect(ann.publish("room", "1")?.seq == 1)
        #expect(bob.summaries() == ["publish 1"])
        #expect(answer.count == 1)
    }

    @Test(arguments: ["test", "plain"])
    func `who comes later with a position from before is told that it was cleared`(channel: String) {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake(channel: channel)
        let epoch = ann.subscribe("room")?.text("epoch") ?? ""
        Self.publish(3, by: ann)
        _ = broker.clear(Self.key(channel))
        Self.publish(2, by: ann)
        let bob = broker.connect()
        bob.handshake(channel: channel)
        let reply = bob.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":1}"#)
        #expect(reply?.flag("recovered") == false)
        #expect(reply?.text("epoch") != epoch)
        #expect(bob.summaries() == ["gap 1-2 cleared"])
        #expect(bob.history("room")?.list("messages")?.map(\.seq) == (channel == "test" ? [1, 2] : nil))
    }

    @Test func `what waits behind a clear is in the new epoch, what came before in the old one`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        broker.engine.hold()
        let before = ann.post(#""type":"publish","room":"room","message":1"#)
        broker.run()
        let waiting = ann.post(#""type":"publish","room":"room","message":2"#)
        broker.run()
        let answer = broker.clear()
        let behind = ann.post(#""type":"publish","room":"room","message":3"#)
        broker.run()
        broker.engine.release()
        #expect([before, waiting, behind].map { ann.reply(to: $0)?.seq } == [1, 2, 1])
        #expect(ann.summaries() == ["publish 1", "publish 2", "room_cleared", "publish 1"])
        #expect(broker.engine.entries(of: .make()).map(\.seq) == [1])
        #expect(broker.engine.epoch(of: .make()) == answer.value)
    }

    @Test(arguments: ["test", "plain"], ["disconnect", "drop_oldest", "latest"])
    func `who had not got the old messages does not get them afterwards`(channel: String, overflow: String) {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room", channel: channel)
        let slow = broker.connect(shard: 1).joined("room", channel: channel, ",\"overflow\":\"\(overflow)\"")
        slow.stopReading(after: 300)
        Self.publish(5, by: ann)
        _ = broker.clear(Self.key(channel))
        Self.publish(2, by: ann)
        slow.readOn()
        let frames = slow.receive()
        let index = frames.firstIndex { $0.type == "room_cleared" } ?? 0
        #expect(frames[..<index].map(\.seq) == Array(1...index))
        #expect(frames[(index + 1)...].map(\.seq) == [1, 2])
        #expect(!slow.isClosed)
    }

    @Test(arguments: [0, 1])
    func `a history query that is under way does not bring the old messages back`(shard: Int) {
        let broker = TestBroker(shards: 2)
        Self.publish(3, by: broker.connect().joined("room"))
        let bob = broker.connect(shard: shard).joined("room")
        broker.engine.holdAnswers()
        let callback = bob.post(#""type":"history","room":"room""#)
        broker.run()
        let answer = broker.clear()
        for _ in 0..<2 {
            broker.run()
            broker.engine.releaseLast()
        }
        broker.run()
        #expect(answer.value != nil)
        #expect(broker.engine.waiting == [.read])
        broker.engine.release()
        #expect(bob.reply(to: callback)?.list("messages")?.count == 0)
        #expect(bob.summaries() == ["room_cleared"])
    }

    private static let key = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#

    @Test(arguments: ["test", "plain"])
    func `a message that was cleared does not come back when it is sent again`(channel: String) {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: channel)
        let first = ann.publish("room", "1", Self.key)
        _ = broker.clear(Self.key(channel))
        _ = ann.receive()
        let again = ann.publish("room", "1", Self.key)
        #expect(again?.flag("duplicate") == true)
        #expect(again?.text("id") == first?.text("id"))
        #expect(again?.seq == nil)
        #expect(ann.publish("room", "2", Self.key)?.code == "message_id_conflict")
        #expect(ann.summaries() == [])
        #expect(broker.engine.entries(of: Self.key(channel)).isEmpty)
    }

    @Test(arguments: [false, true])
    func `nor after a restart, or when its log was read again`(isRestarted: Bool) {
        var broker = TestBroker()
        var ann = broker.connect().joined("room")
        let first = ann.publish("room", "1", Self.key)
        _ = broker.clear()
        broker.run()
        if isRestarted {
            broker = TestBroker(clock: broker.clock, engine: broker.engine)
            ann = broker.connect().joined("room")
        } else {
            broker.engine.failNext(.append, .unavailable)
            ann.publish("room", "2")
        }
        _ = ann.receive()
        let again = ann.publish("room", "1", Self.key)
        #expect(again?.flag("duplicate") == true)
        #expect(again?.text("id") == first?.text("id"))
        #expect(again?.seq == nil)
        #expect(again?.object("sender")?.text("id") == first?.object("sender")?.text("id"))
        #expect(ann.summaries() == [])
    }

    @Test(arguments: [MemoryEngine.Call.clear, .open])
    func `a clear that fails is told, and the room goes on`(call: MemoryEngine.Call) {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        Self.publish(3, by: ann)
        broker.engine.failNext(call, .unavailable)
        let answer = broker.clear()
        broker.run()
        #expect(answer.code == .storageUnavailable)
        #expect(ann.publish("room", "4")?.seq == (call == .clear ? 4 : 1))
        let told = call == .clear ? ["publish 4"] : ["gap 1-0 epoch", "publish 1"]
        #expect(ann.summaries() == ["publish 1", "publish 2", "publish 3"] + told)
        let again = broker.clear()
        broker.run()
        #expect(again.value != nil)
    }

    @Test func `members of an observable room are shown again`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("observable-room")
        _ = broker.clear(.make("observable-room"))
        #expect(ann.summaries() == ["room_cleared", "observable_members"])
    }

    @Test func `a subscribe to several rooms that waits for one is answered as things are`() {
        let broker = TestBroker(channels: [.make("test", history: 10)])
        let ann = broker.connect().joined("a")
        ann.publish("a", "1")
        let bob = broker.connect()
        bob.handshake()
        broker.engine.hold()
        let callback = bob.post(#""type":"subscribe","rooms":["a","b"]"#)
        broker.run()
        let answer = broker.clear(.make("a"))
        broker.run()
        #expect(broker.engine.waiting == [.open, .clear])
        broker.engine.releaseLast()
        broker.run()
        broker.engine.releaseLast()
        broker.run()
        broker.engine.release()
        let rooms = bob.reply(to: callback)?.list("rooms") ?? []
        #expect(rooms.map { $0.text("epoch") }.first == answer.value?.description)
        #expect(rooms.map(\.seq) == [0, 0])
        #expect(bob.summaries() == [])
    }

    @Test func `a room that nobody has seen since the start is cleared`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        ann.publish("room", "1")
        let later = TestBroker(clock: broker.clock, engine: broker.engine)
        let answer = later.clear()
        later.run()
        #expect(answer.value != nil)
        #expect(later.engine.entries(of: .make()).isEmpty)
    }
}
