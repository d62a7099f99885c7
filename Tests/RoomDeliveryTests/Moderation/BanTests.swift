import NIOCore
import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Who is banned is not let in, and who is in is let go at once.
struct BanTests {
    private static let channels: [ChannelSettings] = [.make(authentication: .optional)]

    private static func broker(shards: Int = 2, _ sanctions: Sanction...) -> TestBroker {
        let broker = TestBroker(
            shards: shards,
            channels: Self.channels,
            moderation: [.make(): ChannelModeration(sanctions: sanctions)]
        )
        return broker
    }

    // MARK: Coming in

    @Test func `a handshake from a banned address is refused, with reason and end`() {
        let broker = Self.broker(.imposed(on: .network("192.0.2.0/24"), reason: "spam", seconds: 60))
        let reply = broker.connect(from: "192.0.2.7").handshake()
        #expect(reply?.code == "banned")
        #expect(reply?.text("client_id") == "")
        #expect(reply?.text("error")?.hasSuffix("until 2025-11-21T04:01:00Z: spam") == true)
        #expect(broker.connect(from: "192.0.3.7").handshake()?.code == nil)
        broker.advance(by: .seconds(60))
        #expect(broker.connect(from: "192.0.2.7").handshake()?.code == nil)
    }

    @Test func `a handshake with a banned user's token is refused, and that of another is not`() {
        let broker = Self.broker(.imposed(on: .user("bob")))
        #expect(broker.connect().handshake(token: TestToken.make(data: #""bob""#))?.code == "banned")
        #expect(broker.connect().handshake(token: TestToken.make(data: #"{"id":"bob"}"#))?.code == "banned")
        #expect(broker.connect().handshake(token: TestToken.make(data: #"{"name":"bob"}"#))?.code == nil)
        let client = broker.connect()
        client.handshake()
        #expect(client.authenticate(TestToken.make(data: #""bob""#))?.code == "banned")
        #expect(client.subscribe("room")?.code == nil)
    }

    @Test func `plain text from a banned address is turned away`() {
        let broker = Self.broker(.imposed(on: .network("192.0.2.7"), reason: "spam"))
        let client = broker.connect(from: "192.0.2.7")
        client.sendBytes("iam:Luke\n")
        #expect(client.receiveLines() == ["* you are banned from this channel: spam"])
        #expect(client.isClosed)
    }

    // MARK: Being in

    @Test(arguments: ["user", "client", "address"], [0, 1])
    func `whom a ban matches is let go without grace`(subject: String, shard: Int) {
        let broker = Self.broker()
        let watcher = broker.connect(from: "192.0.3.1").joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room"], shard: shard, user: "bob")
        let ann = ResumableClient(broker, ["observable-room"], shard: shard, from: "192.0.3.2", user: "ann")
        _ = watcher.receive()
        let subjects: [String: SanctionSubject] = [
            "user": .user("bob"), "client": .client(bob.id), "address": .network("192.0.2.0/24"),
        ]
        broker.impose(.imposed(on: subjects[subject] ?? .user(""), reason: "spam"))
        let goodbye = bob.client.receive().last
        #expect(goodbye?.code == "banned")
        #expect(goodbye?.flag("reconnect") == false)
        #expect(bob.client.isClosed)
        #expect(watcher.summaries() == ["observable_member_leave"])
        #expect(ann.told() == ["observable_member_leave"])
        let again = broker.connect(from: "192.0.3.9").handshake(#","resume":"\#(bob.token)""#)
        #expect(again?.flag("resumed") == false)
        #expect(again?.text("client_id") != bob.id)
    }

    @Test(arguments: ["user", "client", "address"])
    func `the session of somebody who is away ends at once`(subject: String) {
        let broker = Self.broker()
        let watcher = broker.connect(from: "192.0.3.1").joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room"], shard: 1, user: "bob")
        bob.client.drop()
        _ = watcher.receive()
        let subjects: [String: SanctionSubject] = [
            "user": .user("bob"), "client": .client(bob.id), "address": .network("192.0.2.0/24"),
        ]
        broker.impose(.imposed(on: subjects[subject] ?? .user("")))
        #expect(watcher.summaries() == ["observable_member_leave"])
        let again = broker.connect(from: "192.0.3.9").handshake(#","resume":"\#(bob.token)""#)
        #expect(again?.flag("resumed") == false)
        broker.advance(by: .seconds(20))
        #expect(watcher.summaries() == [])
    }

    @Test func `a plain-text member whom a ban matches is told and closed`() {
        let broker = Self.broker()
        let luke = broker.connect(from: "192.0.2.7")
        luke.sendBytes("iam:Luke\n")
        _ = luke.receiveLines()
        broker.impose(.imposed(on: .network("192.0.2.7"), in: "lobby"))
        #expect(luke.receiveLines() == ["* you are banned from this room"])
        #expect(luke.isClosed)
    }

    @Test func `who half-closes while it is banned leaves for good`() {
        let broker = Self.broker()
        let watcher = broker.connect(from: "192.0.3.1").joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room"], user: "bob")
        bob.client.stopReading(after: 0)
        bob.client.halfClose()
        broker.impose(.imposed(on: .user("bob")))
        #expect(watcher.summaries().suffix(1) == ["observable_member_leave"])
        #expect(broker.connect().handshake(#","resume":"\#(bob.token)""#)?.flag("resumed") == false)
    }

    @Test func `a ban that is lifted or over lets in again`() {
        let broker = Self.broker()
        let ban = Sanction.imposed(on: .user("bob"))
        broker.impose(ban)
        broker.run()
        broker.lift(ban)
        broker.run()
        #expect(ResumableClient(broker, user: "bob").id != "")
    }

    @Test func `a ban can end before its member has read that it is let go`() {
        let broker = Self.broker()
        let bob = ResumableClient(broker, ["room"], user: "bob")
        bob.client.stopReading(after: 0)
        broker.impose(.imposed(on: .user("bob"), seconds: 2))
        broker.impose(.imposed(.mute, on: .client(bob.id), seconds: 1))
        broker.advance(by: .seconds(3))
        bob.client.readOn()
        #expect(bob.told().suffix(1) == ["goodbye banned"])
        #expect(ResumableClient(broker, user: "bob").id != "")
    }

    // MARK: One room

    @Test func `who is banned from a room is taken out of it, and of no other`() {
        let broker = Self.broker()
        let watcher = broker.connect(from: "192.0.3.1").joined("observable-a")
        let bob = ResumableClient(broker, ["observable-a", "b"], shard: 1, user: "bob")
        _ = watcher.receive()
        broker.impose(.imposed(on: .user("bob"), in: "observable-a", reason: "spam"))
        let removed = bob.client.receive().last
        #expect(removed?.type == "removed")
        #expect(removed?.code == "banned")
        #expect(removed?.text("reason") == "you are banned from this room: spam")
        #expect(watcher.summaries() == ["observable_member_leave"])
        watcher.publish("observable-a", "1")
        watcher.publish("b", "1")
        #expect(bob.told() == ["publish 1"])
        #expect(bob.client.subscribe("observable-a")?.code == "banned")
        #expect(bob.client.publish("observable-a", "1")?.code == "banned")
        #expect(bob.client.history("observable-a")?.code == "banned")
        #expect(bob.client.request(#""type":"members","room":"observable-a""#)?.code == "banned")
        #expect(bob.client.publish("b", "1")?.code == nil)
        bob.client.drop()
        #expect(broker.connect().handshake(#","resume":"\#(bob.token)""#)?.flag("resumed") == false)
    }

    @Test func `a member that comes into many rooms is told in their answer of the one it is banned from`() {
        let broker = Self.broker()
        let (open, waiting) = ("open", "waiting")
        let watcher = broker.connect(from: "192.0.3.1").joined(open)
        let bob = ResumableClient(broker, shard: 1, user: "bob")
        broker.engine.hold()
        let callback = bob.client.post(#""type":"subscribe","rooms":["\#(open)","\#(waiting)","other"]"#)
        broker.run()
        broker.impose(.imposed(on: .user("bob"), in: open))
        broker.impose(.imposed(on: .user("bob"), in: waiting))
        broker.run()
        broker.engine.release()
        let reply = bob.client.reply(to: callback)
        #expect(reply?.list("rooms")?.map { $0.code ?? "joined" } == ["banned", "banned", "joined"])
        #expect(bob.told() == [])
        watcher.publish(open, "1")
        watcher.publish(waiting, "1")
        watcher.publish("other", "1")
        #expect(bob.told() == ["publish 1"])
        #expect(broker.shards.map { $0.onLoop.owner.detail(of: .make(waiting))?.members ?? 0 }.reduce(0, +) == 0)
    }

    @Test func `a resumed session cannot come back into a room it is banned from meanwhile`() {
        let broker = Self.broker()
        let watcher = broker.connect(from: "192.0.3.1").joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room"], user: "bob")
        bob.client.drop()
        let again = ResumableClient(broker, shard: 1, user: "bob", resume: bob.token)
        #expect(again.id == bob.id)
        _ = watcher.receive()
        broker.impose(.imposed(on: .user("bob"), in: "observable-room"))
        #expect(watcher.summaries() == ["observable_member_leave"])
        #expect(again.client.subscribe("observable-room")?.code == "banned")
    }

    @Test func `who is banned while it asks for the history does not get it`() {
        let broker = Self.broker()
        let bob = ResumableClient(broker, ["room"], shard: 1, user: "bob")
        bob.client.publish("room", "1")
        broker.engine.holdAnswers()
        let callback = bob.client.post(#""type":"history","room":"room""#)
        broker.run()
        broker.impose(.imposed(on: .user("bob"), in: "room"))
        broker.run()
        broker.engine.release()
        #expect(bob.client.reply(to: callback)?.code == "banned")
        #expect(bob.client.publish("other", "1")?.code == nil)
    }

    @Test func `a resumed session leaves the rooms that its new user is banned from`() {
        let broker = Self.broker(.imposed(on: .user("bob"), in: "observable-a"))
        let watcher = broker.connect(from: "192.0.3.1").joined("observable-a")
        let ann = ResumableClient(broker, ["observable-a", "b"], user: "ann")
        ann.client.drop()
        _ = watcher.receive()
        let bob = ResumableClient(broker, shard: 1, user: "bob", resume: ann.token)
        #expect(bob.id == ann.id)
        #expect(watcher.summaries() == ["observable_member_leave"])
        #expect(bob.client.subscribe("observable-a")?.code == "banned")
        #expect(bob.client.subscribe("b")?.code == nil)
    }

    @Test func `who is gone before a ban has come to its connection does not linger`() {
        let broker = Self.broker(shards: 1)
        let watcher = broker.connect(from: "192.0.3.1").joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room"], user: "bob")
        _ = watcher.receive()
        // as it is between two turns in which a loop looks at its connections
        let ban = ChannelModeration(sanctions: [.imposed(on: .user("bob"))])
        broker.shards[0].onLoop.context.sanctions.set(ban, in: .make())
        bob.client.drop()
        #expect(watcher.summaries() == ["observable_member_leave"])
        #expect(broker.connect().handshake(#","resume":"\#(bob.token)""#)?.flag("resumed") == false)
    }

    @Test func `another token brings its user's bans with it`() {
        let broker = Self.broker(.imposed(on: .user("bob"), in: "room"))
        let client = ResumableClient(broker, ["room", "other"]).client
        client.authenticate(TestToken.make(data: #""bob""#))
        #expect(client.receive().map(\.code) == ["banned"])
        #expect(client.publish("other", "1")?.code == nil)
    }
}
