import NIOCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct PresenceTests {
    private static func join(
        _ broker: ScriptedBroker,
        _ client: RoomClient
    ) async throws
        -> (Room<JSON>, ScriptedConnection)
    {
        let joining = client.startJoining("lobby", history: 0)
        let link = try await broker.welcome()
        try await link.letIn()
        return (try await joining.value(), link)
    }

    @Test func `who is there is told, in one order with the messages`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.list([.make("ann")])
            try await link.tell(.joined, .make("bob", data: #"{"name":"Bob"}"#))
            try await link.deliver(1...1)
            try await link.tell(.updated, .make("bob", data: #"{"name":"Bobby"}"#))
            #expect(room.members.map(\.id) == ["ann", "bob"])
            #expect(room.members.last?.profile?.name == "Bobby")
            #expect(room.memberCount == 2)
            try await link.tell(.left, .make("bob"))
            #expect(room.members.map(\.id) == ["ann"])
            #expect(await room.readEvents(5) == ["members ann", "+bob", "1", "=bob", "-bob"])
            #expect(await room.readMessages(1) == ["1"])
        }
    }

    @Test func `who comes back is told the members anew`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.list([.make("ann"), .make("bob")])
            try await link.lose()
            #expect(room.memberCount == 2)
            let next = try await broker.welcome()
            try await next.letIn()
            try await next.list([.make("ann"), .make("eve")])
            #expect(room.members.map(\.id) == ["ann", "eve"])
            #expect(await room.readEvents(2) == ["members ann bob", "members ann eve"])
        }
    }

    @Test(arguments: [true, false])
    func `each subscribe says whether the app asks to be shown the members`(presence: Bool) async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0, presence: presence)
            let link = try await broker.welcome()
            #expect(try await link.letIn(presence: presence).body.presence == presence)
            let room = try await joining.value()
            #expect(room.showsMembers == presence)
            try await link.lose()
            #expect(try await broker.welcome().letIn(presence: presence).body.presence == presence)
        }
    }

    @Test func `the room knows whether the broker shows the members`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn(presence: false)
            let room = try await joining.value()
            #expect(!room.showsMembers)
            // the channel shows them from now on
            try await link.list([.make("ann")])
            #expect(room.showsMembers && room.memberCount == 1)
            try await link.lose()
            try await broker.welcome().letIn(presence: false)
            #expect(await room.readEvents(1) == ["members ann"])
            #expect(!room.showsMembers && room.members.isEmpty && room.memberCount == 0)
        }
    }

    @Test func `of a very large room there is the count`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.list([], count: 1_500)
            try await link.tell(.joined, .make("bob"))
            #expect(room.members == [] && room.memberCount == 1_501)
            #expect(await room.readEvents(2) == ["members ", "+bob"])
        }
    }

    @Test func `ephemeral messages come in order, without a place`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.deliver(1...1)
            try await link.deliver(nil, #"{"cursor":7}"#)
            try await link.deliver(2...2)
            var messages = room.messages.makeAsyncIterator()
            #expect(await messages.next()?.seq == 1)
            let ephemeral = await messages.next()
            #expect(ephemeral?.seq == nil && ephemeral?.position == nil && ephemeral?.isHistory == false)
            #expect(ephemeral?.json.description == #"{"cursor":7}"#)
            #expect(await messages.next()?.seq == 2)
            #expect(room.position?.seq == 2)
        }
    }
}
