import NIOCore
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct MemberDataTests {
    private static func clientData(_ link: ScriptedConnection) async throws -> String? {
        let handshake = try await link.handshake()
        try await link.welcome(handshake)
        return handshake.body.clientData.map { String(buffer: $0) }
    }

    /// Loses the connection, and looks at the next handshake.
    private static func nextClientData(_ broker: ScriptedBroker, after link: ScriptedConnection) async throws -> String?
    {
        try await link.lose()
        return try await Self.clientData(broker.accept())
    }

    @Test func `an update is told at once, and by the next handshake`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            client.startConnecting()
            let link = try await broker.welcome()
            let updating = Task { try await client.update(["name": "Ann"]) }
            let update = try await link.update()
            #expect(update.body == #"{"name":"Ann"}"#)
            try await link.answer(update)
            try await updating.value
            #expect(try await Self.nextClientData(broker, after: link) == #"{"name":"Ann"}"#)
        }
    }

    @Test func `without a connection the next handshake tells it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            try await client.update(2)
            #expect(await broker.attemptsWaiting() == 0)
            client.startConnecting()
            let link = try await broker.accept()
            #expect(try await Self.clientData(link) == "2")
            #expect(await link.unreadKinds() == [])
        }
    }

    @Test func `what came while the handshake was on its way is told after it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.accept()
            let handshake = try await link.handshake()
            try await client.update(2)
            try await link.welcome(handshake)
            let update = try await link.update()
            #expect(update.body == "2")
            try await link.answer(update)
            #expect(await link.unreadKinds() == ["subscribe"])
            #expect(try await Self.nextClientData(broker, after: link) == "2")
            withExtendedLifetime(joining) {}
        }
    }

    @Test func `data that is refused is thrown, and none to come back with`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            client.startConnecting()
            let link = try await broker.welcome()
            let updating = Task { try await client.update("large") }
            try await link.refuse(link.update(), .messageTooLarge)
            #expect(await failure { try await updating.value }?.code == .messageTooLarge)
            #expect(try await Self.nextClientData(broker, after: link) == "1")
        }
    }

    @Test func `an update that was lost is told by the next handshake`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            client.startConnecting()
            let link = try await broker.welcome()
            let updating = Task { try await client.update(2) }
            _ = try await link.update()
            #expect(try await Self.nextClientData(broker, after: link) == "2")
            try await updating.value
        }
    }

    @Test func `an update that was lost does not come after a later one`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let first = Task { try await client.update(1) }
            _ = try await link.update()
            try await link.lose()
            let attempt = try await broker.attempt()
            try await client.update(2)
            let next = try await broker.accept(attempt)
            #expect(try await Self.clientData(next) == "2")
            #expect(await next.unreadKinds() == [])
            try await first.value
        }
    }

    @Test func `of two updates the one that the broker took last is told`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let first = Task { try await client.update(1) }
            let firstUpdate = try await link.update()
            let second = Task { try await client.update("large") }
            let secondUpdate = try await link.update()
            try await link.answer(firstUpdate)
            try await link.refuse(secondUpdate, .messageTooLarge)
            try await first.value
            #expect(await failure { try await second.value }?.code == .messageTooLarge)
            #expect(try await Self.nextClientData(broker, after: link) == "1")
        }
    }
}
