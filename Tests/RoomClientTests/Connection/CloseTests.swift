import NIOCore
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct CloseTests {
    @Test func `the rooms are left, and the connection ends when the broker has read that`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = [client.startJoining("lobby", history: 0), client.startJoining("attic", history: 0)]
            let link = try await broker.welcome()
            try await link.letIn()
            try await link.letIn()
            let closing = Task { await client.close() }
            let rooms = [try await link.unsubscribe().body, try await link.unsubscribe().body]
            #expect(rooms.contains(.one(RoomName("lobby"))) && rooms.contains(.one(RoomName("attic"))))
            while !link.isOutputClosed { await broker.settle() }
            #expect(!link.isClosed)
            // It is told after the output is closed.
            while await client.state() != "closed" { await broker.settle() }
            try await link.lose()
            await closing.value
            #expect(try await joining[0].value().endError?.code == .closed)
        }
    }

    @Test func `a broker that does not end the connection is not waited for long`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let closing = Task { await client.close() }
            while !link.isOutputClosed { await broker.settle() }
            await broker.advance(.milliseconds(999))
            #expect(!link.isClosed)
            await broker.advance(.milliseconds(1))
            #expect(link.isClosed)
            await closing.value
        }
    }

    @Test func `everything that waits fails`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.outbox.count = 1 }
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await joining.value()
            let (sent, queued) = (
                client.startPublishing(try JSON("1"), to: "lobby"), client.startPublishing(try JSON("2"), to: "lobby")
            )
            let late = client.startJoining("attic", history: 0)
            let authenticating = client.startAuthenticating("t")
            let asking = Task { try await room.history() }
            let ephemeral = Task { try await room.publishEphemeral(json: JSON("3")) }
            let updating = Task { try await client.update(1) }
            for _ in 0..<6 { _ = try await link.next() }
            let closing = Task { await client.close() }
            while !link.isOutputClosed { await broker.settle() }
            try await link.lose()
            await closing.value

            #expect(await failure { try await sent.value() }?.code == .closed)
            #expect(await failure { try await queued.value() }?.code == .closed)
            #expect(await failure { try await late.value() }?.code == .closed)
            #expect(await failure { try await authenticating.value() }?.code == .closed)
            #expect(await failure { try await asking.value }?.code == .closed)
            #expect(await failure { try await ephemeral.value }?.code == .closed)
            #expect(await failure { try await updating.value }?.code == .closed)
            #expect(await room.readEvents() == [])
            #expect(await failure { try await room.publish(json: JSON("4")) }?.code == .closed)
        }
    }

    @Test func `a client without a connection closes at once`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            await client.close()
            #expect(await client.state() == "closed")
            await client.close()
            #expect(await failure { try await client.connect() }?.code == .closed)
            #expect(await broker.attemptsWaiting() == 0)
        }
    }

    @Test func `what is under way is given up`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let connecting = Task { try await client.connect() }
            let attempt = try await broker.attempt()
            while await client.connectCalls() == 0 { await Task.yield() }
            await client.close()
            #expect(await failure { try await connecting.value }?.code == .closed)
            #expect(try await broker.accept(attempt).isClosed)
        }
    }

    @Test func `a pause between attempts is given up`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(1)) }
            client.startConnecting()
            try await broker.refuse()
            await client.close()
            await broker.advance(.hours(1))
            #expect(await broker.attemptsWaiting() == 0)
        }
    }

    @Test func `nothing that the broker says after the end is heard`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let closing = Task { await client.close() }
            while !link.isOutputClosed { await broker.settle() }
            try await link.ping()
            try await link.goodbye(.banned)
            #expect(await link.unreadKinds() == [])
            #expect(await client.state() == "closed")
            try await link.lose()
            await closing.value
        }
    }

    @Test func `the last reference to the client closes it`() async throws {
        try await ScriptedBroker.with { broker in
            let link = try await Self.connectAndForget(broker)
            while !link.isOutputClosed { await broker.settle() }
            await broker.advance(.seconds(1))
            #expect(link.isClosed)
            #expect(await broker.attemptsWaiting() == 0)
        }
    }

    private static func connectAndForget(_ broker: ScriptedBroker) async throws -> ScriptedConnection {
        let client = try broker.client()
        client.startConnecting()
        return try await broker.welcome()
    }
}
