import NIOCore
import RoomModel
import RoomWire
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct LeaveTests {
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

    @Test func `who leaves unsubscribes, and reads what is buffered`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.deliver(1...2)
            let leaving = Task { await room.leave() }
            let unsubscribe = try await link.unsubscribe()
            #expect(unsubscribe.body == .one(RoomName("lobby")))
            try await link.deliver(3...3)
            try await link.answer(unsubscribe)
            await leaving.value
            #expect(await room.readEvents() == ["1", "2"])
            #expect(room.endError == nil)
            await room.leave()
            #expect(await link.unreadKinds() == [])
        }
    }

    @Test func `leaving works without a connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.goodbye(.shuttingDown, retryAfter: 1_000)
            await room.leave()
            await broker.advance(.seconds(1))
            let next = try await broker.welcome()
            #expect(await next.unreadKinds() == [])
        }
    }

    @Test func `leaving is done when the connection is lost meanwhile`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            let leaving = Task { await room.leave() }
            _ = try await link.unsubscribe()
            try await link.lose()
            await leaving.value
        }
    }

    @Test func `a reader that waits hears of the end`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            let reading = Task { await room.readMessages() }
            let leaving = Task { await room.leave() }
            try await link.answer(link.unsubscribe())
            await leaving.value
            #expect(await reading.value == [])
        }
    }

    @Test func `the last reference to a room leaves it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            try await Self.joinAndForget(client, link)
            #expect(try await link.unsubscribe().body == .one(RoomName("lobby")))
            #expect(await client.state() == "connected ann")
        }
    }

    private static func joinAndForget(_ client: RoomClient, _ link: ScriptedConnection) async throws {
        let joining = client.startJoining("lobby", history: 0)
        try await link.letIn()
        _ = try await joining.value()
    }

    @Test func `who reads a room is still in it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            var messages = try await Self.joinToRead(client, link)
            #expect(await link.unreadKinds() == [])
            try await link.deliver(1...1)
            #expect(await messages.next()?.seq == 1)
            #expect(await link.unreadKinds() == [])
        }
    }

    private static func joinToRead(
        _ client: RoomClient,
        _ link: ScriptedConnection
    ) async throws
        -> RoomFeed<RoomMessage<JSON>>.Iterator
    {
        let joining = client.startJoining("lobby", history: 0)
        try await link.letIn()
        return try await joining.value().messages.makeAsyncIterator()
    }

    @Test func `the scope leaves the room, however it ends`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let scope = Task {
                try await client.withRoom("lobby", of: JSON.self, history: 3) { _ in throw CancellationError() }
            }
            #expect(try await link.letIn().body.historyCount == 3)
            try await link.answer(link.unsubscribe())
            await #expect(throws: CancellationError.self) { try await scope.value }
        }
    }

    @Test func `a room without a type has a scope too, and a cancelled task leaves the room`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let position = RoomPosition(epoch: "0000000000000007", seq: 3)
            let scope = Task {
                try await client.withRoom("lobby", since: position) { room in
                    for await message in room.messages { return message.json.description }
                    return "cancelled"
                }
            }
            let subscribe = try await link.letIn(seq: 3, recovered: true)
            #expect(subscribe.body.since?.seq == 3)
            scope.cancel()
            _ = try await link.unsubscribe()
            #expect(try await scope.value == "cancelled")
        }
    }

    @Test func `nothing is published from a room that was left`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            let waiting = client.startPublishing(try JSON("1"), to: "lobby")
            let publish = try await link.publish()
            let leaving = Task { await room.leave() }
            try await link.answer(link.unsubscribe())
            await leaving.value
            let error = await failure { try await room.publish(json: JSON("2")) }
            #expect(error?.code == .closed)
            #expect(error?.message == "the room was left")
            #expect(await failure { try await room.publishEphemeral(json: JSON("3")) }?.code == .closed)
            #expect(await link.unreadKinds() == [])
            try await link.acknowledge(publish, seq: 1)
            #expect(try await waiting.value().seq == 1)
            // The client itself need not be in a room.
            let later = client.startPublishing(try JSON("4"), to: "lobby")
            try await link.acknowledge(link.publish(), seq: 2)
            #expect(try await later.value().seq == 2)
        }
    }

    @Test func `a room that was left stays so when the app joins it again`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            let leaving = Task { await room.leave() }
            try await link.answer(link.unsubscribe())
            await leaving.value
            let joining = client.startJoining("lobby", history: 0)
            try await link.letIn()
            let again = try await joining.value()
            #expect(await failure { try await room.publish(json: JSON("1")) }?.code == .closed)
            let publishing = Task { try await again.publish(json: JSON("2")) }
            try await link.acknowledge(link.publish(), seq: 1)
            #expect(try await publishing.value.seq == 1)
        }
    }

    @Test func `frames for an earlier membership are not taken for the present one`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            let leaving = Task { await room.leave() }
            let unsubscribe = try await link.unsubscribe()
            let joining = client.startJoining("lobby", history: 0)
            let subscribe = try await link.subscribe()
            try await link.deliver(1...3)
            try await link.tell(.joined)
            try await link.gap(4, 5, "slow")
            try await link.answer(unsubscribe)
            try await link.letIn(subscribe, seq: 5)
            try await link.deliver(6...6)
            await leaving.value
            let again = try await joining.value()
            #expect(await again.readEvents(1) == ["6"])
            #expect(again.members == [])
            #expect(await room.readEvents() == [])
        }
    }

    @Test func `an answer to the subscribe of an earlier membership is not taken for the present one's`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let first = Task { try await client.join("lobby", history: 9) }
            let earlier = try await link.subscribe()
            first.cancel()
            _ = await first.result
            let unsubscribe = try await link.unsubscribe()
            let second = client.startJoining("lobby", history: 0)
            let present = try await link.subscribe()
            try await link.letIn(earlier, seq: 9)
            try await link.deliver(1...9)
            try await link.answer(unsubscribe)
            try await link.letIn(present, seq: 20)
            try await link.deliver(21...21)
            let room = try await second.value()
            #expect(await room.readMessages(1) == ["21"])
        }
    }
}
