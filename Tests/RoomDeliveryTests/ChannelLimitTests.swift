import NIOCore
import RoomCore
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomModel

/// What one channel may use, and that what is counted is given back.
struct ChannelLimitTests {
    private static func broker(
        shards: Int = 1,
        authentication: Authentication = .none,
        _ limits: ChannelLimits
    ) -> TestBroker {
        TestBroker(
            shards: shards,
            channels: [.make(history: nil, authentication: authentication, limits: limits), .make("free")]
        )
    }

    private static func change(_ broker: TestBroker, _ limits: ChannelLimits) {
        broker.change(.make(history: nil, limits: limits))
    }

    // MARK: Connections

    @Test func `connections are counted from the handshake to the end`() {
        let broker = Self.broker(shards: 2, ChannelLimits(connections: 2))
        let clients = (0..<3).map { broker.connect(shard: $0 % 2) }
        #expect(clients[0].handshake()?.code == nil)
        #expect(clients[1].handshake()?.code == nil)
        let refused = clients[2].handshake()
        #expect(refused?.code == "too_many_connections")
        #expect(refused?.text("client_id") == "")
        #expect(refused?.number("retry_after_ms") ?? 0 > 0)
        #expect(broker.channel()?.usage.connections == 2)
        #expect(clients[0].handshake()?.code == "already_connected")
        #expect(broker.channel()?.usage.connections == 2)
        clients[1].drop()
        #expect(broker.channel()?.usage.connections == 1)
        #expect(clients[2].handshake()?.code == nil)
        clients[2].halfClose()
        clients[0].drop()
        #expect(broker.channel()?.usage.connections == 0)
    }

    @Test(
        arguments: [
            #","token":"a.b.c""#, #","token":"nonsense""#, #","heartbeat":100000"#, #","resume":"9.9.9""#,
            #","resume":"0.9.9","token":"x""#,
        ]
    )
    func `a refused handshake is not counted, however often`(fields: String) {
        let broker = Self.broker(authentication: .required, ChannelLimits(connections: 2))
        let client = broker.connect()
        for _ in 0..<3 { client.handshake(fields) }
        let isOpen = client.request(#""type":"rooms""#)?.code != "handshake_required"
        #expect(broker.channel()?.usage.connections == (isOpen ? 1 : 0))
        client.handshake(channel: "nowhere")
        client.handshake(channel: "free")
        client.drop()
        #expect(broker.channel()?.usage.connections == 0)
        #expect(broker.channel("free")?.usage.connections == 0)
    }

    @Test(arguments: [false, true], [1, 2])
    func `who resumes takes the place of its earlier connection`(isLiving: Bool, shards: Int) {
        let broker = Self.broker(shards: shards, ChannelLimits(connections: 1))
        let ann = broker.connect()
        let reply = ann.handshake(#","resumable":true"#)
        if !isLiving { ann.drop() }
        let again = broker.connect(shard: shards - 1)
        let resumed = again.handshake(#","resume":"\#(reply?.text("resume_token") ?? "")""#)
        #expect(resumed?.flag("resumed") == true)
        #expect(broker.channel()?.usage.connections == 1)
        #expect(broker.connect().handshake()?.code == "too_many_connections")
        ann.drop()
        #expect(broker.channel()?.usage.connections == 1)
        again.drop()
        #expect(broker.channel()?.usage.connections == 0)
    }

    @Test func `a full channel lets nobody in who only says that it resumes`() {
        let broker = Self.broker(ChannelLimits(connections: 1))
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let bob = broker.connect()
        #expect(bob.handshake(#","resume":"0.1.2""#)?.code == "too_many_connections")
        #expect(broker.channel()?.usage.connections == 1)
        ann.drop()
        #expect(bob.handshake()?.code == nil)
        let again = broker.connect()
        #expect(again.handshake(#","resume":"\#(token)""#)?.code == "too_many_connections")
        #expect(broker.channel()?.usage.connections == 1)
    }

    @Test func `a connection that ends while its resume is asked for is not counted any more`() {
        let broker = Self.broker(shards: 2, ChannelLimits(connections: 5))
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let watcher = broker.connect().joined("observable-room")
        ann.subscribe("observable-room")
        ann.drop()
        _ = watcher.receive()
        let again = broker.connect(shard: 1)
        again.send(#"{"type":"handshake","channel":"test","resume":"\#(token)","callback":1}"#)
        again.dropBeforeAnswer()
        broker.run()
        #expect(broker.channel()?.usage.connections == 1)
        #expect(watcher.summaries() == ["observable_member_leave"])
    }

    @Test func `plain-text clients are counted too`() {
        let broker = Self.broker(ChannelLimits(connections: 1))
        let (tom, tim) = (broker.connect(), broker.connect())
        tom.sendBytes("iam:Tom\n")
        broker.run()
        tim.sendBytes("iam:Tim\n")
        #expect(tim.receiveLines().last?.contains("connections") == true)
        #expect(tim.isClosed)
        tom.drop()
        tim.drop()
        #expect(broker.channel()?.usage.connections == 0)
    }

    // MARK: Rooms and members

    @Test func `rooms with members and members of a room have their limits, changed at once`() {
        let broker = Self.broker(shards: 2, ChannelLimits(rooms: 2, membersPerRoom: 2))
        let clients = (0..<4).map { index in
            let client = broker.connect(shard: index % 2)
            client.handshake()
            return client
        }
        #expect(clients[0].subscribe("a")?.code == nil)
        #expect(clients[0].subscribe("b")?.code == nil)
        #expect(clients[0].subscribe("c")?.code == "too_many_rooms")
        #expect(clients[1].subscribe("a")?.code == nil)
        #expect(clients[2].subscribe("a")?.code == "too_many_members")
        Self.change(broker, ChannelLimits(rooms: 3, membersPerRoom: 3))
        #expect(clients[2].subscribe("a")?.code == nil)
        #expect(clients[0].subscribe("c")?.code == nil)
        Self.change(broker, ChannelLimits(rooms: 1, membersPerRoom: 1))
        #expect(clients[3].subscribe("a")?.code == "too_many_members")
        #expect(broker.channel()?.usage.rooms == 3, "those who are there stay")
        for client in clients { client.drop() }
        #expect(broker.channel()?.usage.rooms == 0)
    }

    @Test func `a member that resumes is no other member`() {
        let broker = Self.broker(ChannelLimits(membersPerRoom: 1))
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        ann.subscribe("room")
        ann.drop()
        let bob = broker.connect()
        bob.handshake()
        #expect(bob.subscribe("room")?.code == "too_many_members")
        let again = broker.connect()
        again.handshake(#","resume":"\#(token)""#)
        #expect(again.subscribe("room")?.code == nil)
    }

    // MARK: New rooms

    private static func open(_ broker: TestBroker, _ count: Int) -> [TestConnection] {
        (0..<count).map { index in
            let client = broker.connect(shard: index % broker.shards.count)
            client.handshake()
            return client
        }
    }

    @Test(arguments: [1, 2])
    func `rooms come to life at the channel's rate, whoever owns them`(shards: Int) {
        let broker = Self.broker(shards: shards, ChannelLimits(newRoomRate: 2))
        let ann = Self.open(broker, 1)[0]
        let rooms = (0..<4).map { broker.room(ownedBy: $0 % shards, prefix: "new-\($0)") }
        #expect(ann.subscribe(rooms[0])?.code == nil)
        #expect(ann.publish(rooms[1], "1")?.code == nil)
        let refused = ann.subscribe(rooms[2])
        #expect(refused?.code == "rate_limited")
        #expect(refused?.number("retry_after_ms") == 500)
        #expect(ann.publish(rooms[2], "1")?.code == "rate_limited")
        ann.say(rooms[2], "1")
        #expect(ann.receive().last?.room == rooms[2])
        #expect(
            ann.request("\"type\":\"subscribe\",\"rooms\":[\"\(rooms[2])\",\"\(rooms[3])\"]")?.list("rooms")?.map(
                \.code
            ) == ["rate_limited", "rate_limited"]
        )
        #expect(ann.publish(rooms[0], "1")?.code == nil, "it lives")
        #expect(ann.publish(rooms[1], "1")?.code == nil)
        broker.advance(by: .milliseconds(500))
        #expect(ann.subscribe(rooms[2])?.code == nil)
        #expect(ann.subscribe(rooms[3])?.code == "rate_limited")
    }

    @Test func `one room that many enter together, or publish into first, is one new room`() {
        let broker = Self.broker(shards: 2, ChannelLimits(newRoomRate: 1))
        let clients = Self.open(broker, 5)
        _ = clients[0].post(#""type":"publish","room":"room","message":1"#)
        let callbacks = clients.map { $0.post(#""type":"subscribe","room":"room""#) }
        broker.run()
        for (client, callback) in zip(clients, callbacks) { #expect(client.reply(to: callback)?.code == nil) }
        for client in clients { client.unsubscribe("room") }
        #expect(clients[0].subscribe("room")?.code == "rate_limited", "it was empty")
    }

    @Test func `what is refused leaves nothing behind, neither a room nor a log`() {
        let broker = TestBroker(channels: [.make(limits: ChannelLimits(newRoomRate: 1))])
        let ann = Self.open(broker, 1)[0]
        ann.subscribe("a")
        for number in 0..<50 {
            ann.subscribe("b\(number)")
            ann.publish("c\(number)", "1")
        }
        #expect(broker.engine.epoch(of: .make("b1")) == nil)
        #expect(broker.engine.epoch(of: .make("c1")) == nil)
        #expect(broker.engine.epoch(of: .make("a")) != nil)
        #expect(broker.shards[0].onLoop.ownedTotal == 1)
    }

    @Test func `a member has a rate of its own`() {
        let broker = Self.broker(shards: 2, ChannelLimits(memberNewRoomRate: 1))
        let clients = Self.open(broker, 2)
        #expect(clients[0].subscribe("a")?.code == nil)
        #expect(clients[0].subscribe("b")?.code == "rate_limited")
        #expect(clients[1].subscribe("b")?.code == nil)
        #expect(clients[1].subscribe("a")?.code == nil, "somebody is there")
        #expect(clients[0].subscribe("b")?.code == nil)
        Self.change(broker, ChannelLimits())
        for number in 0..<5 { #expect(clients[0].subscribe("r\(number)")?.code == nil) }
    }

    // MARK: Messages

    @Test func `messages have a size in bytes`() {
        let broker = Self.broker(ChannelLimits(messageBytes: 6))
        let ann = Self.open(broker, 1)[0]
        #expect(ann.publish("room", #""1234""#)?.code == nil)
        #expect(ann.publish("room", #""éé5""#)?.code == "message_too_large")
        Self.change(broker, ChannelLimits(messageBytes: 7))
        #expect(ann.publish("room", #""éé5""#)?.code == nil)
        #expect(ann.publish("room", #"{"a":11}"#)?.code == "message_too_large")
    }

    @Test(
        arguments: [(nil, 6, ""), (6, 9, " in this channel"), (9, 6, ""), (6, 6, " in this channel")]
            as [(Int?, Int, String)]
    )
    func `a channel lowers the broker's limit for messages and cannot raise it`(own: Int?, broker: Int, place: String) {
        var limits = FrameLimits()
        limits.message = broker
        let channel = RoomChannel(settings: .make(limits: ChannelLimits(messageBytes: own)), limits: limits)
        let room = RoomName("room")
        #expect(channel.refusal(ofMessageBytes: 6, into: room, sanction: nil) == nil)
        let error = RequestError(.messageTooLarge, "\"message\" has 7 bytes; the limit\(place) is 6")
        #expect(channel.refusal(ofMessageBytes: 7, into: room, sanction: nil) == error)
    }

    @Test func `a moderator's act counts before the token, and the token before the size`() {
        let channel = RoomChannel(settings: .make(limits: ChannelLimits(messageBytes: 1)), limits: FrameLimits())
        let muted = RequestError(.muted, "you are muted")
        let code = { (mayPublish: Bool, sanction: RequestError?) in
            channel.refusal(ofMessageBytes: 2, into: RoomName("r"), mayPublish: mayPublish, sanction: sanction)?.code
        }
        #expect(
            [code(false, muted), code(false, nil), code(true, nil)] == [.muted, .permissionDenied, .messageTooLarge]
        )
    }

    @Test func `all members together have the channel's rate`() {
        let broker = Self.broker(shards: 2, ChannelLimits(publishRate: 3))
        let clients = Self.open(broker, 2)
        let codes = (0..<5).map { clients[$0 % 2].publish("room", "1")?.code }
        #expect(codes == [nil, nil, nil, "rate_limited", "rate_limited"])
        broker.advance(by: .seconds(1))
        #expect(clients[0].publish("room", "1")?.code == nil)
        Self.change(broker, ChannelLimits())
        for _ in 0..<9 { #expect(clients[0].publish("room", "1")?.code == nil) }
    }

    @Test(arguments: [1, 2], [false, true])
    func `a member's rate goes on over a resume`(shards: Int, isLiving: Bool) {
        let broker = Self.broker(shards: shards, ChannelLimits(memberPublishRate: 2))
        let (ann, bob) = (broker.connect(), broker.connect())
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        bob.handshake()
        for _ in 0..<2 { #expect(ann.publish("room", "1")?.code == nil) }
        #expect(ann.publish("room", "1")?.number("retry_after_ms") == 500)
        #expect(bob.publish("room", "1")?.code == nil)
        if !isLiving { ann.drop() }
        let again = broker.connect(shard: shards - 1)
        again.handshake(#","resume":"\#(token)""#)
        #expect(again.publish("room", "1")?.code == "rate_limited")
        broker.advance(by: .milliseconds(500))
        #expect(again.publish("room", "1")?.code == nil)
        #expect(again.publish("room", "1")?.code == "rate_limited")
        Self.change(broker, ChannelLimits(memberPublishRate: 5))
        for _ in 0..<5 { #expect(again.publish("room", "1")?.code == nil) }
        #expect(again.publish("room", "1")?.code == "rate_limited")
    }

    @Test func `plain text keeps to the rates`() {
        let broker = Self.broker(ChannelLimits(messageBytes: 10, memberPublishRate: 1))
        let tom = broker.connect()
        tom.sendBytes("msg:too long for it\nmsg:a\nmsg:b\n")
        let lines = tom.receiveLines()
        #expect(lines.contains { $0.hasPrefix("* more than 1 messages a second") })
    }
}
