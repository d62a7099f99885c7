import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Who is muted can listen, and knows it.
struct MuteTests {
    private static func broker() -> TestBroker {
        TestBroker(shards: 2, channels: [.make(authentication: .optional)])
    }

    @Test func `a muted member is told, and its messages are refused`() {
        let broker = Self.broker()
        let (bob, ann) = (ResumableClient(broker, ["room"], shard: 1, user: "bob"), ResumableClient(broker, ["room"]))
        broker.impose(.imposed(.mute, on: .user("bob"), reason: "spam", seconds: 60))
        let muted = bob.client.receive().first
        #expect(muted?.type == "muted")
        #expect(muted?.keys == ["type", "reason", "until", "id", "timestamp", "sender"])
        #expect(muted?.number("until") == Int(ManualClock.start / 1_000) + 60)
        let reply = bob.client.publish("room", "1")
        #expect(reply?.code == "muted")
        #expect(reply?.text("error") == "you are muted in this channel until 2025-11-21T04:01:00Z: spam")
        #expect(bob.client.publish("room", "1", #","ephemeral":true"#)?.code == "muted")
        #expect(ann.client.publish("room", "1")?.code == nil)
        #expect(bob.told() == ["publish 1"])
    }

    @Test func `a mute that ends by time is told in time`() {
        let broker = Self.broker()
        let bob = ResumableClient(broker, ["room"], user: "bob")
        broker.impose(.imposed(.mute, on: .user("bob"), in: "room", seconds: 60))
        broker.impose(.imposed(.mute, on: .client(bob.id), seconds: 7_200))
        #expect(bob.told() == ["muted", "muted"])
        broker.advance(by: .milliseconds(59_999))
        #expect(bob.told() == [])
        broker.advance(by: .milliseconds(1))
        let unmuted = bob.client.receive()
        #expect(unmuted.map(\.type) == ["unmuted"])
        #expect(unmuted.first?.room == "room")
        broker.advance(by: .seconds(7_140))
        #expect(bob.told() == ["unmuted"])
        #expect(bob.client.publish("room", "1")?.code == nil)
    }

    @Test func `mutes of many members end together`() {
        let broker = Self.broker()
        // more than the loop looks at in one turn
        let members = (0..<600).map { ResumableClient(broker, shard: $0 % 2) }
        broker.impose(.imposed(.mute, on: .network("192.0.2.0/24"), seconds: 60))
        broker.run()
        broker.impose(.imposed(.mute, on: .client(members[0].id), seconds: 120))
        for member in members { _ = member.client.receive() }
        broker.advance(by: .seconds(60))
        #expect(members.dropFirst().allSatisfy { $0.told() == ["unmuted"] })
        broker.advance(by: .seconds(60))
        #expect(members[0].told().last == "unmuted")
    }

    @Test func `a muted member cannot show itself otherwise to who would see it`() {
        let broker = Self.broker()
        let (bob, ann) = (
            ResumableClient(broker, ["observable-room"], user: "bob"), ResumableClient(broker, ["observable-room"])
        )
        _ = (bob.told(), ann.told())
        let update = #""type":"update","client_data":{"name":"buy this"}"#
        broker.impose(.imposed(.mute, on: .user("bob"), in: "observable-room"))
        #expect(bob.client.request(update)?.code == "muted")
        #expect(ann.told() == [])
        bob.client.unsubscribe("observable-room")
        #expect(bob.client.request(update)?.code == nil)
        broker.impose(.imposed(.mute, on: .user("bob")))
        #expect(bob.client.request(update)?.code == "muted")
        #expect(ann.client.request(update)?.code == nil)
    }

    @Test func `a mute that has ended holds nothing up, though its deadline is late`() {
        let broker = Self.broker()
        let bob = ResumableClient(broker, ["room"], user: "bob")
        broker.impose(.imposed(.mute, on: .user("bob"), seconds: 60))
        #expect(bob.client.publish("room", "1")?.code == "muted")
        broker.clock.advance(milliseconds: 60_000)
        #expect(bob.client.publish("room", "1")?.code == nil)
        #expect(bob.told().contains("unmuted"))
    }

    @Test func `a mute that is lifted or has another end is told`() {
        let broker = Self.broker()
        let bob = ResumableClient(broker, ["room"], user: "bob")
        let mute = Sanction.imposed(.mute, on: .user("bob"), in: "room", seconds: 60)
        broker.impose(mute)
        broker.impose(.imposed(.mute, on: .user("bob"), in: "room", seconds: 120))
        #expect(
            bob.client.receive().map { $0.number("until") } == [60, 120].map { Int(ManualClock.start / 1_000) + $0 }
        )
        broker.lift(mute)
        #expect(bob.told() == ["unmuted"])
        broker.lift(mute)
        #expect(bob.told() == [])
    }

    @Test func `who comes while it is muted is told then`() {
        let broker = Self.broker()
        broker.impose(.imposed(.mute, on: .user("bob")))
        broker.impose(.imposed(.mute, on: .user("bob"), in: "room"))
        broker.run()
        let client = broker.connect()
        client.handshake(token: TestToken.make(data: #""bob""#))
        #expect(client.summaries() == ["muted"])
        client.subscribe("room")
        #expect(client.receive().map(\.room) == ["room"])
        client.subscribe("other")
        #expect(client.summaries() == [])
    }

    @Test func `a mute for a room says nothing to who is not in it`() {
        let broker = Self.broker()
        let bob = ResumableClient(broker, ["other"], user: "bob")
        broker.impose(.imposed(.mute, on: .user("bob"), in: "room"))
        #expect(bob.told() == [])
        #expect(bob.client.publish("room", "1")?.code == "muted")
        #expect(bob.client.publish("other", "1")?.code == nil)
    }

    @Test func `a member that is somebody else by another token is muted or not as that one is`() {
        let broker = Self.broker()
        broker.impose(.imposed(.mute, on: .user("bob")))
        let client = ResumableClient(broker, ["room"], user: "ann").client
        client.authenticate(TestToken.make(data: #""bob""#))
        #expect(client.summaries().contains("muted"))
        client.authenticate(TestToken.make(data: #""ann""#))
        #expect(client.summaries().contains("unmuted"))
        #expect(client.publish("room", "1")?.code == nil)
    }

    @Test func `a plain-text member is told in lines`() {
        let broker = Self.broker()
        let luke = broker.connect(from: "192.0.2.7")
        luke.sendBytes("iam:Luke\n")
        _ = luke.receiveLines()
        broker.impose(.imposed(.mute, on: .network("192.0.2.7"), in: "lobby", seconds: 60))
        luke.sendBytes("msg:hello\n")
        #expect(
            luke.receiveLines() == [
                "* you are muted in this room until 2025-11-21T04:01:00Z",
                "* you are muted in this room until 2025-11-21T04:01:00Z",
            ]
        )
        luke.sendBytes("iam:Leia\n")
        let refusal =
            "your name and data cannot change while you are muted in the room lobby until 2025-11-21T04:01:00Z"
        #expect(luke.receiveLines() == ["* \(refusal)"])
        broker.advance(by: .seconds(60))
        luke.sendBytes("msg:hello\n")
        #expect(luke.receiveLines() == ["* you are not muted any more", "Luke: hello"])
    }

    @Test func `who publishes by HTTP is muted and banned by user and address`() {
        let broker = Self.broker()
        broker.impose(.imposed(.mute, on: .user("bob"), in: "room"))
        broker.impose(.imposed(on: .network("192.0.2.7")))
        broker.run()
        let key = RoomKey.make()
        let owner = broker.shards[Int(key.stableHash % 2)].onLoop.context
        let bob = SanctionedPerson(user: "bob", client: nil, address: IPAddress("192.0.2.8"))
        #expect(owner.sanction(on: bob, publishingInto: key)?.code == .muted)
        let ann = SanctionedPerson(user: nil, client: nil, address: IPAddress("192.0.2.7"))
        #expect(owner.sanction(on: ann, publishingInto: key)?.code == .banned)
        let other = SanctionedPerson(user: "ann", client: nil, address: nil)
        #expect(owner.sanction(on: other, publishingInto: key) == nil)
    }
}
