import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What moderators' acts give to who asked for them. All on one thread, as the embedded loop wants it.
@OneThread
struct ModerationGatewayTests {
    @Test func `a kick says whether there was such a member, and it is gone on return`() async throws {
        let broker = TestBroker(shards: 2)
        let (bob, away) = (ResumableClient(broker, ["room"], shard: 1), ResumableClient(broker, ["room"]))
        away.client.drop()
        for member in [bob, away] {
            let id = ClientID(member.id)
            let kick: @Sendable (RoomGateway) async throws -> ModerationReceipt = {
                try await $0.perform(.kick(id, reason: nil), in: .make(), by: .make("mod"))
            }
            #expect(try await broker.ask(kick) == .done)
            #expect(await broker.ask { await $0.members(of: .make()) }.contains(id) == false)
            await #expect(throws: Room.memberNotFound(id, in: RoomName("room"))) { try await broker.ask(kick) }
        }
        #expect(await broker.ask { await $0.expel(ClientID(bob.id), from: .make(), reason: nil) })
        #expect(await broker.ask { await $0.expel(ClientID(bob.id), from: .make(), reason: nil) } == false)
        #expect(bob.client.isClosed)
    }

    @Test func `the member that an act concerns is known with its user and its name`() async {
        let broker = TestBroker(shards: 2, channels: [.make(authentication: .optional)])
        let bob = ResumableClient(broker, ["room"], shard: 1, user: "bob", data: #"{"name":"Bob"}"#)
        bob.client.publish("room", "1")
        let (id, other) = (ClientID(bob.id), ClientID("other"))
        let known = AffectedMember(client: id, user: "bob", name: "Bob")
        for room in [RoomName("room"), nil] {
            #expect(await broker.ask { await $0.affected(id, in: .make(), room) } == known)
            #expect(await broker.ask { await $0.affected(other, in: .make(), room) } == nil)
        }
        let author = await broker.ask { await $0.author(of: .seq(1), in: .make()) }
        #expect(author?.client == id)
        #expect(author?.name == "Bob")
        #expect(await broker.ask { await $0.author(of: .seq(2), in: .make()) } == nil)
    }

    @Test func `a ban is in effect on return, and so is its end`() async {
        let broker = TestBroker(shards: 2)
        let bob = ResumableClient(broker, ["room"], shard: 1)
        let ban = Sanction.imposed(on: .network("192.0.2.0/24"))
        await broker.ask {
            await $0.moderationChanged(ChannelModeration(sanctions: [ban]), in: .make(), rooms: [])
        }
        #expect(bob.told() == ["goodbye banned"])
        #expect(await broker.ask { await $0.members(of: .make()) } == [])
        #expect(broker.connect(from: "192.0.2.1").handshake()?.code == "banned")
        await broker.ask { await $0.moderationChanged(ChannelModeration(), in: .make(), rooms: []) }
        #expect(broker.connect(from: "192.0.2.1").handshake()?.code == nil)
    }

    @Test func `a channel that is deleted takes its bans with it`() async {
        let broker = TestBroker(shards: 2)
        let ban = Sanction.imposed(on: .network("127.0.0.1"))
        await broker.ask {
            await $0.moderationChanged(ChannelModeration(sanctions: [ban]), in: .make(), rooms: [])
        }
        await broker.ask { await $0.channelRemoved(.make()) }
        broker.change(.make())
        #expect(broker.connect().handshake()?.code == nil)
        // the same ban is a new one then
        await broker.ask {
            await $0.moderationChanged(ChannelModeration(sanctions: [ban]), in: .make(), rooms: [])
        }
        #expect(broker.connect().handshake()?.code == "banned")
    }

    @Test func `a notice to a channel has one id for all, and is not for who has shown no token`() async {
        let broker = TestBroker(shards: 2, channels: [.make(authentication: .required)])
        let members = (0..<200).map { ResumableClient(broker, shard: $0 % 2, user: "u\($0)").client }
        let stranger = broker.connect()
        stranger.handshake()
        let reached = await broker.ask {
            await $0.notify(Notice(text: "hi"), in: .make(), by: .make("mod"))
        }
        #expect(reached == 200)
        let frames = members.flatMap { $0.receive() }
        #expect(frames.count == 200)
        #expect(Set(frames.compactMap { $0.text("id") }).count == 1)
        #expect(frames.first?.keys == ["type", "text", "id", "timestamp", "sender"])
        #expect(stranger.receive().isEmpty)
    }

    @Test func `a notice to a room says what has changed there`() async throws {
        let broker = TestBroker(shards: 2)
        let bob = ResumableClient(broker, ["room"])
        _ = bob.client.receive()
        let reached = try await broker.ask {
            try await $0.perform(
                .notice(Notice(text: "hi", kind: .slowMode(seconds: 5))),
                in: .make(),
                by: .make("mod")
            )
        }
        #expect(reached == .notified(1))
        let frames = bob.client.receive()
        #expect(frames.map(\.keys) == [["type", "room", "text", "code", "seconds", "id", "timestamp", "sender"]])
    }

    @Test func `a notice to a room says where there is no such channel`() async throws {
        let broker = TestBroker(shards: 2)
        let bob = ResumableClient(broker, ["room"])
        let reached = try await broker.ask {
            try await $0.perform(.notice(Notice(text: "hi")), in: .make(), by: .make("mod"))
        }
        let ofNobody = try await broker.ask {
            try await $0.perform(.notice(Notice(text: "hi")), in: .make("empty"), by: .make("mod"))
        }
        #expect(reached == .notified(1) && ofNobody == .notified(0))
        #expect(bob.told() == ["notice"])
        await #expect(throws: RequestError.self) {
            try await broker.ask {
                try await $0.perform(.notice(Notice(text: "hi")), in: .make(channel: "nowhere"), by: .make("mod"))
            }
        }
    }
}
