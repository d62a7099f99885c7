import NIOCore
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import Testing

/// A channel that is deleted while people are in it, and one of the same name that is made afterwards.
struct ChannelRemovalTests {
    private static let settings = ChannelSettings.make()

    private static func broker(shards: Int = 2) -> TestBroker {
        TestBroker(shards: shards, channels: [Self.settings, .make("other", history: nil)])
    }

    @Test(arguments: [1, 2])
    func `all its members are let go, and nobody else`(shards: Int) {
        let broker = Self.broker(shards: shards)
        let clients = (0..<4).map { broker.connect(shard: $0 % shards).joined("observable-room") }
        let other = broker.connect().joined("observable-room", channel: "other")
        let text = broker.connect()
        text.sendBytes("iam:Tom\n")
        for client in clients { _ = client.receive() }
        broker.removeChannel("test")
        for client in clients {
            let frames = client.receive()
            #expect(frames.last?.summary == "goodbye")
            #expect(frames.last?.code == "unknown_channel")
            #expect(frames.last?.flag("reconnect") == false)
            #expect(client.isClosed)
        }
        #expect(text.receiveLines().last == "* this channel has been deleted")
        #expect(text.isClosed)
        #expect(other.publish("observable-room", "1")?.code == nil)
        #expect(other.summaries() == ["publish 1"])
        #expect(broker.connect().handshake()?.code == "unknown_channel")
    }

    @Test func `a session that lingers is gone with it`() {
        let broker = Self.broker()
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        ann.subscribe("observable-room")
        ann.drop()
        broker.removeChannel("test")
        broker.change(Self.settings)
        let bob = broker.connect().joined("observable-room")
        let again = broker.connect()
        let reply = again.handshake(#","resume":"\#(token)""#)
        #expect(reply?.flag("resumed") == false)
        broker.advance(by: .minutes(1))
        #expect(bob.summaries() == [])
        #expect(bob.request(#""type":"members","room":"observable-room""#)?.number("count") == 1)
    }

    @Test func `a handshake that waits for its resume is refused, and may try another channel`() {
        let broker = Self.broker()
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let again = broker.connect(shard: 1)
        let callback = again.post(#""type":"handshake","channel":"test","resume":"\#(token)""#)
        for shard in broker.shards.reversed() { shard.onLoop.channelRemoved(.make()) }
        #expect(again.reply(to: callback)?.code == "unknown_channel")
        #expect(again.handshake(channel: "other")?.code == nil)
    }

    @Test(arguments: [false, true])
    func `what is at the store is of nobody's concern any more`(isOpening: Bool) {
        let broker = Self.broker()
        let (room, ann) = ("room", broker.connect())
        ann.handshake()
        if !isOpening { ann.subscribe(room) }
        broker.engine.hold()
        for _ in 0..<3 { _ = ann.post("\"type\":\"publish\",\"room\":\"\(room)\",\"message\":1") }
        broker.run()
        broker.removeChannel("test")
        broker.change(Self.settings)
        let bob = broker.connect()
        bob.handshake()
        let publish = bob.post("\"type\":\"publish\",\"room\":\"\(room)\",\"message\":2")
        let join = bob.post("\"type\":\"subscribe\",\"room\":\"\(room)\"")
        broker.run()
        broker.engine.release()
        #expect(bob.reply(to: publish)?.code == nil)
        #expect(bob.reply(to: join)?.code == nil)
        bob.publish(room, "3")
        #expect(bob.receive().map(\.message).count == 1)
        #expect(ann.summaries().last == "goodbye")
    }

    @Test func `made again, its counts and rooms begin anew`() {
        let broker = Self.broker()
        let clients = (0..<4).map { broker.connect(shard: $0 % 2).joined("plain-\($0)") }
        broker.removeChannel("test")
        broker.change(Self.settings)
        for client in clients { client.drop() }
        #expect(broker.channel()?.usage.connections == 0)
        #expect(broker.channel()?.usage.rooms == 0)
        let ann = broker.connect(shard: 1)
        ann.handshake()
        for number in 0..<4 { #expect(ann.subscribe("plain-\(number)")?.code == nil) }
        #expect(broker.channel()?.usage.rooms == 4)
        ann.drop()
        #expect(broker.channel()?.usage.rooms == 0)
    }

    @Test func `a fan-out that has yielded the loop comes to its end`() {
        let broker = Self.broker(shards: 1)
        let clients = (0..<400).map { _ in broker.connect().joined("room", channel: "other") }
        clients[0].say("room", "\"\(String(repeating: "x", count: 30_000))\"")
        broker.deliverInput()
        // behind the turn in which the first of the members are written to, and before the one that goes on with it
        for shard in broker.shards { shard.post { $0.channelRemoved(.make("other")) } }
        broker.run()
        let got = clients.map { $0.summaries() }
        #expect(got.allSatisfy { $0.last == "goodbye" })
        #expect(got.contains { $0.first == "publish 1" })
        #expect(got.contains { $0.first == "goodbye" }, "the loop was yielded")
    }

    @Test func `a shard that does not know a channel yet answers those that do`() {
        let broker = Self.broker()
        let channel = RoomChannel(settings: .make("new", history: nil))
        broker.shards[0].onLoop.channelChanged(channel)
        let ann = broker.connect()
        ann.handshake(channel: "new")
        let room = broker.room(ownedBy: 1, channel: "new", prefix: "observable-room")
        #expect(ann.subscribe(room)?.code == "unknown_channel")
        #expect(ann.publish(room, "1")?.code == "unknown_channel")
        #expect(ann.request("\"type\":\"members\",\"room\":\"\(room)\"")?.code == "unknown_channel")
        broker.shards[1].onLoop.channelChanged(channel)
        #expect(ann.subscribe(room)?.code == nil)
        #expect(ann.publish(room, "1")?.code == nil)
    }
}
