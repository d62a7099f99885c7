import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomDelivery

/// Locks, slow-mode and caps, as clients meet them.
struct RoomRuleTests {
    private static let moderator =
        #"{".*":{"publish":true,"subscribe":true,"history":100,"moderate":true}}"#

    private static func broker(limits: BrokerLimits = .init()) -> TestBroker {
        TestBroker(shards: 2, channels: [.make(authentication: .optional)], limits: limits)
    }

    private static func moderator(_ broker: TestBroker, _ room: String) -> TestConnection {
        let client = broker.connect()
        client.handshake(token: TestToken.make(Self.moderator))
        client.subscribe(room)
        _ = client.receive()
        return client
    }

    @Test func `a locked room takes the messages of moderators only`() {
        let broker = Self.broker()
        let (ann, mod) = (ResumableClient(broker, ["room"], shard: 1), Self.moderator(broker, "room"))
        broker.rule("room", .make(locked: true, reason: "pause"))
        let reply = ann.client.publish("room", "1")
        #expect(reply?.code == "room_locked")
        #expect(reply?.text("error")?.contains(": pause;") == true)
        #expect(ann.client.publish("room", "1", #","ephemeral":true"#)?.code == "room_locked")
        #expect(mod.publish("room", "1")?.code == nil)
        #expect(ann.client.publish("other", "1")?.code == nil)
        #expect(ann.told() == ["publish 1"])
        broker.rule("room", RoomRules())
        #expect(ann.client.publish("room", "1")?.code == nil)
    }

    @Test func `a room that comes to life is as it was set before`() {
        let broker = Self.broker()
        broker.rule("room", .make(locked: true, members: 1))
        broker.run()
        let ann = ResumableClient(broker, ["room"])
        #expect(ann.client.publish("room", "1")?.code == "room_locked")
        #expect(ResumableClient(broker).client.subscribe("room")?.code == "too_many_members")
    }

    @Test func `who comes into a locked room, or one in slow mode, is told so`() {
        let broker = Self.broker()
        let ann = ResumableClient(broker, ["room", "other"])
        broker.rule("room", .make(locked: true, reason: "back at nine"))
        broker.rule("other", .make(slowMode: 5))
        broker.run()
        ann.client.drop()
        let back = broker.connect(shard: 1)
        back.handshake(",\"resumable\":true,\"resume\":\"\(ann.token)\"")
        back.subscribe("room")
        back.subscribe("other")
        let frames = back.receive()
        #expect(frames.map(\.code) == ["room_locked", "slow_mode"])
        #expect(frames.map { $0.text("room") } == ["room", "other"])
        #expect(frames.first?.text("text") == "This room is locked: back at nine")
        #expect(frames.last?.number("seconds") == 5)
        broker.rule("room", RoomRules())
        _ = back.receive()
        back.subscribe("room")
        #expect(back.receive().isEmpty)
    }

    @Test func `a plain-text client that comes into a locked room reads why`() {
        let broker = Self.broker()
        broker.rule("lobby", .make(locked: true))
        let luke = broker.connect()
        luke.sendBytes("iam:Luke\n")
        #expect(luke.receiveLines().first == "* This room is locked: nobody can write for now.")
    }

    @Test func `slow-mode goes by the user, on however many connections`() {
        let broker = Self.broker()
        let (bob, again) = (
            ResumableClient(broker, ["room"], user: "bob"), ResumableClient(broker, ["room"], shard: 1, user: "bob")
        )
        let mod = Self.moderator(broker, "room")
        broker.rule("room", .make(slowMode: 30))
        #expect(bob.client.publish("room", "1")?.code == nil)
        let refused = again.client.publish("room", "1")
        #expect(refused?.code == "rate_limited")
        #expect(refused?.number("retry_after_ms") == 30_000)
        #expect(again.client.publish("room", "1", #","ephemeral":true"#)?.code == nil)
        for _ in 0..<2 { #expect(mod.publish("room", "1")?.code == nil) }
        broker.advance(by: .seconds(30))
        #expect(again.client.publish("room", "1")?.code == nil)
    }

    @Test func `a full room lets moderators in, and who comes back`() {
        let broker = Self.broker()
        let bob = ResumableClient(broker, ["room"])
        broker.rule("room", .make(members: 1))
        broker.run()
        #expect(ResumableClient(broker).client.subscribe("room")?.code == "too_many_members")
        let mod = broker.connect()
        mod.handshake(token: TestToken.make(Self.moderator))
        #expect(mod.subscribe("room")?.code == nil)
        bob.client.drop()
        #expect(ResumableClient(broker, shard: 1, resume: bob.token).client.subscribe("room")?.code == nil)
    }

    @Test func `a plain-text member is refused in a line`() {
        let broker = Self.broker()
        let luke = broker.connect()
        luke.sendBytes("iam:Luke\n")
        _ = luke.receiveLines()
        broker.rule("lobby", .make(locked: true))
        luke.sendBytes("msg:hello\n")
        #expect(luke.receiveLines() == ["* the room is locked; publish again when it is unlocked"])
    }

    @Test func `a name that is taken in a locked room is not announced`() {
        let broker = Self.broker()
        let (luke, leia) = (broker.connect(), broker.connect())
        luke.sendBytes("iam:Luke\n")
        leia.sendBytes("iam:Leia\n")
        _ = (luke.receiveLines(), leia.receiveLines())
        broker.rule("lobby", .make(locked: true))
        luke.sendBytes("iam:buy this\n")
        #expect(luke.receiveLines() == ["* the room is locked; publish again when it is unlocked"])
        #expect(leia.receiveLines() == [])
        broker.rule("lobby", RoomRules())
        luke.sendBytes("msg:hello\n")
        #expect(leia.receiveLines() == ["buy this: hello"])
    }

    @Test func `who has no user is one author by its address, unless it is of this machine`() {
        let broker = Self.broker()
        broker.rule("room", .make(slowMode: 30))
        broker.run()
        let publishes = ["192.0.2.7", "192.0.2.7", "192.0.2.8", "127.0.0.1", "127.0.0.1"].map { address in
            let client = broker.connect(from: address).joined("room")
            defer { client.drop() }
            return client.publish("room", "1")?.code
        }
        #expect(publishes == [nil, "rate_limited", nil, nil, nil])
    }

    @Test func `updates and names are held to the rate of messages`() {
        var limits = BrokerLimits()
        limits.publishRate = 2
        let broker = Self.broker(limits: limits)
        let ann = ResumableClient(broker, ["room"])
        let update = #""type":"update","client_data":1"#
        #expect((0..<3).map { _ in ann.client.request(update)?.code } == [nil, nil, "rate_limited"])
        let luke = broker.connect()
        luke.sendBytes("iam:a\niam:b\niam:c\n")
        #expect(luke.receiveLines().filter { $0.hasSuffix("has joined") } == ["a has joined", "b has joined"])
    }

    @Test func `HTTP with the channel's secret is exempt, with a token it is not`() {
        let broker = Self.broker()
        broker.rule("room", .make(locked: true))
        broker.run()
        let bob = SanctionedPerson(user: "bob", client: nil, address: nil)
        #expect(Self.publish(broker, as: nil, .everything) == nil)
        #expect(Self.publish(broker, as: bob, .everything) == .roomLocked)
        let moderator = RoomPermission(publish: true, moderate: true)
        #expect(Self.publish(broker, as: bob, moderator) == nil)
    }

    private final class Answer {
        var code: Code?
    }

    private static func publish(
        _ broker: TestBroker,
        as person: SanctionedPerson?,
        _ permission: RoomPermission
    ) -> Code? {
        let (answer, key) = (Answer(), RoomKey.make())
        broker.shards[Int(key.stableHash % 2)].onLoop.owner.publish(
            ByteBuffer(string: "1"),
            to: key,
            by: ExternalPublisher(.rest, person: person, permission: permission),
            messageID: nil
        ) { result in
            if case .failure(let error) = result { answer.code = error.code }
        }
        broker.run()
        return answer.code
    }

    // MARK: Notices

    @Test func `a notice comes in the room's order, without seq, and is not kept`() {
        let broker = Self.broker()
        let (ann, bob) = (ResumableClient(broker, ["room"], shard: 1), ResumableClient(broker, ["room"]))
        ann.client.publish("room", "1")
        broker.notify("hello\u{1b}", room: "room")
        broker.run()
        ann.client.publish("room", "1")
        let frames = bob.client.receive()
        #expect(frames.map(\.summary) == ["publish 1", "notice", "publish 2"])
        #expect(frames[1].keys == ["type", "room", "text", "id", "timestamp", "sender"])
        #expect(frames[1].object("sender")?.text("id") == "mod")
        #expect(ann.client.history("room")?.list("messages")?.count == 2)
        let late = ResumableClient(broker, ["room"]).client
        #expect(late.summaries() == [])
    }

    @Test func `a plain-text member gets a notice as a line that nothing can be forged with`() {
        let broker = Self.broker()
        let luke = broker.connect()
        luke.sendBytes("iam:Luke\n")
        _ = luke.receiveLines()
        broker.notify("hello\nLeia: hi\u{1b}[2J", room: "lobby")
        #expect(luke.receiveLines() == ["* hello Leia: hi [2J"])
    }
}
