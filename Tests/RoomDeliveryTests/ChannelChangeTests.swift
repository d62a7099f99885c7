import NIOCore
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import Testing

/// A channel that changes while people are in it: who has to go, and what those who stay see.
struct ChannelChangeTests {
    @Test(arguments: [Authentication.none, .optional])
    func `who has no token is let go where one is required from now on`(before: Authentication) {
        let broker = TestBroker(shards: 2, channels: [.make(authentication: before)])
        let (ann, bob, text) = (broker.connect(), broker.connect(shard: 1), broker.connect())
        ann.handshake(#","resumable":true"#)
        ann.subscribe("room")
        if before == .optional { bob.handshake(token: TestToken.make()) }
        text.sendBytes("iam:Tom\n")
        broker.run()
        broker.change(.make(authentication: .required))
        let goodbye = ann.receive().last
        #expect(goodbye?.summary == "goodbye")
        #expect(goodbye?.code == "authentication_required")
        #expect(goodbye?.flag("reconnect") == false)
        #expect(ann.isClosed)
        #expect(text.receiveLines().last == "* the channel requires a token from now on")
        #expect(text.isClosed)
        if before == .optional {
            #expect(bob.subscribe("room")?.code == nil)
            #expect(!bob.isClosed)
        }
        let next = broker.connect()
        #expect(next.handshake()?.flag("require_auth") == true)
    }

    @Test func `where none is required any more everybody may do all`() {
        let broker = TestBroker(channels: [.make(authentication: .required)])
        let (ann, bob) = (broker.connect(), broker.connect())
        ann.handshake()
        bob.handshake(token: TestToken.make(#"{"^a$":{"subscribe":true}}"#))
        #expect(bob.subscribe("b")?.code == "permission_denied")
        broker.change(.make(authentication: .none))
        for client in [ann, bob] { #expect(client.subscribe("b")?.code == nil) }
    }

    @Test func `where one may be shown, those that wait may do all, and those that showed one no more than it says`() {
        let broker = TestBroker(channels: [.make(authentication: .required)])
        let (ann, bob) = (broker.connect(), broker.connect())
        ann.handshake()
        bob.handshake(token: TestToken.make(#"{"^a$":{"subscribe":true}}"#))
        broker.change(.make(authentication: .optional))
        #expect(ann.subscribe("b")?.code == nil)
        #expect(bob.subscribe("b")?.code == "permission_denied")
        #expect(bob.subscribe("a")?.code == nil)
    }

    @Test func `secrets that are replaced let nobody new in and leave the others`() {
        let broker = TestBroker(channels: [.make(authentication: .required)])
        let ann = broker.connect()
        ann.handshake(token: TestToken.make())
        let new = ChannelSecret(text: "the new one")
        broker.change(.make(authentication: .required), secrets: [new])
        #expect(ann.subscribe("room")?.code == nil)
        #expect(ann.authenticate(TestToken.make())?.code == "token_invalid")
        #expect(ann.authenticate(TestToken.make(secret: new))?.code == nil)
        #expect(broker.connect().handshake(token: TestToken.make())?.code == "token_invalid")
    }

    @Test func `a handshake that waits for its resume goes by the new settings`() {
        let broker = TestBroker(shards: 2, channels: [.make()])
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        ann.drop()
        let again = broker.connect(shard: 1)
        let callback = again.post(#""type":"handshake","channel":"test","resume":"\#(token)""#)
        for shard in broker.shards.reversed() {
            shard.onLoop.channelChanged(
                RoomChannel(settings: .make(authentication: .required), usage: broker.channel()?.usage ?? .init())
            )
        }
        #expect(again.reply(to: callback)?.flag("require_auth") == true)
    }

    // MARK: Presence

    @Test(arguments: [1, 2])
    func `rooms that show their members from now on do so at once`(shards: Int) {
        let broker = TestBroker(shards: shards, channels: [.make(), .make("plain", history: nil)])
        let (ann, bob) = (broker.connect(), broker.connect(shard: shards - 1))
        _ = (ann.joined("room"), bob.joined("room"))
        let other = broker.connect().joined("room", channel: "plain")
        broker.change(ChannelSettings.make().with { $0.presence = .all })
        for client in [ann, bob] {
            let frames = client.receive()
            #expect(frames.map(\.summary) == ["observable_members"])
            #expect(frames.first?.list("data")?.count == 2)
            #expect(frames.first?.object("sender")?.text("kind") == "broker")
        }
        #expect(other.summaries() == [])
        bob.drop()
        #expect(ann.summaries() == ["observable_member_leave"])
        #expect(ann.request(#""type":"members","room":"room""#)?.number("count") == 1)
        broker.change(ChannelSettings.make().with { $0.presence = .prefix })
        _ = broker.connect().joined("room")
        #expect(ann.summaries() == [])
        #expect(ann.request(#""type":"members","room":"room""#)?.code == "not_observable")
    }

    @Test func `who comes with the change is shown the members once`() {
        let broker = TestBroker(channels: [.make(history: nil)])
        let ann = broker.connect()
        ann.handshake()
        _ = ann.post(#""type":"subscribe","room":"room""#)
        broker.change(ChannelSettings.make(history: nil).with { $0.presence = .all })
        #expect(ann.summaries().filter { $0 == "observable_members" }.count == 1)
    }

    @Test func `how many members are listed is as the channel says now`() {
        let broker = TestBroker(channels: [.make()])
        let ann = broker.connect().joined("observable-room")
        _ = broker.connect().joined("observable-room")
        broker.change(ChannelSettings.make().with { $0.membersListed = 1 })
        let reply = ann.request(#""type":"members","room":"observable-room""#)
        #expect(reply?.list("members")?.isEmpty == true)
        #expect(reply?.number("count") == 2)
        #expect(reply?.flag("truncated") == true)
    }

    @Test func `authData is shown as the channel says now`() {
        let broker = TestBroker(channels: [.make(authentication: .optional)])
        let ann = broker.connect()
        ann.handshake(token: TestToken.make(data: "1"))
        #expect(ann.publish("room", "1")?.object("sender")?.keys == ["id"])
        broker.change(ChannelSettings.make(authentication: .optional).with { $0.authDataStamps = .always })
        #expect(ann.publish("room", "1")?.object("sender")?.keys == ["id", "authData"])
    }

    @Test(arguments: [1, 3])
    func `changes under publishes lose and repeat nothing`(shards: Int) {
        let broker = TestBroker(shards: shards, channels: [.make(history: 50)])
        let clients = (0..<6).map { index in
            broker.connect(shard: index % shards).joined("room")
        }
        for number in 1...200 {
            clients[number % 6].say("room", "\(number)")
            if number % 7 == 0 {
                broker.change(ChannelSettings.make(history: 50 + number).with { $0.limits.messageBytes = 100 + number })
            }
        }
        for client in clients { #expect(client.receive().map(\.seq) == Array(1...200)) }
    }
}
