import NIOCore
import RoomModel
import Testing

@testable import RoomClient

/// The client's outbox when it is full, and publishes that nobody waits for any more.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct OutboxLimitTests {
    private static func connect(_ broker: ScriptedBroker, _ client: RoomClient) async throws -> ScriptedConnection {
        client.startConnecting()
        return try await broker.welcome()
    }

    private static func text(_ publish: Asked<PublishRequest>) -> String { String(buffer: publish.body.message) }

    @Test func `a full outbox lets wait, in order`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.outbox.count = 2 }
            let link = try await Self.connect(broker, client)
            let publishing = try (1...5).map { client.startPublishing(try JSON("\($0)"), to: "lobby") }
            var waiting = [try await link.publish(), try await link.publish()]
            #expect(await link.unreadKinds() == [])
            for number in 1...5 {
                let publish = waiting.removeFirst()
                #expect(Self.text(publish) == "\(number)")
                try await link.acknowledge(publish, seq: UInt64(number))
                if number <= 3 { waiting.append(try await link.publish()) }
            }
            for number in 1...5 { #expect(try await publishing[number - 1].value().seq == UInt64(number)) }
        }
    }

    @Test func `a full outbox fails, where the app wants that`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.outbox = .init(count: 1, whenFull: .fail) }
            let link = try await Self.connect(broker, client)
            let first = client.startPublishing(try JSON("1"), to: "lobby")
            let second = client.startPublishing(try JSON("2"), to: "lobby")
            let error = await failure { try await second.value() }
            #expect(error?.code == .outboxFull && error?.isRetryable == true)
            try await link.acknowledge(link.publish(), seq: 1)
            #expect(try await first.value().seq == 1)
            let third = client.startPublishing(try JSON("3"), to: "lobby")
            try await link.acknowledge(link.publish(), seq: 2)
            #expect(try await third.value().seq == 2)
        }
    }

    @Test func `a message larger than the whole outbox goes out by itself`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.outbox.bytes = 100 }
            let link = try await Self.connect(broker, client)
            let large = client.startPublishing(try JSON(encoding: String(repeating: "x", count: 500)), to: "lobby")
            let small = client.startPublishing(try JSON("1"), to: "lobby")
            let publish = try await link.publish()
            #expect(await link.unreadKinds() == [])
            try await link.acknowledge(publish, seq: 1)
            try await link.acknowledge(link.publish(), seq: 2)
            #expect(try await large.value().seq == 1)
            #expect(try await small.value().seq == 2)
        }
    }

    @Test func `those that wait for room end in time, too`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client {
                $0.outbox.count = 1
                $0.publishTimeout = .seconds(10)
                $0.heartbeat = .seconds(3_600)
            }
            let link = try await Self.connect(broker, client)
            let first = client.startPublishing(try JSON("1"), to: "lobby")
            await broker.advance(.seconds(3))
            let second = client.startPublishing(try JSON("2"), to: "lobby")
            _ = try await link.publish()
            await broker.advance(.seconds(7))
            #expect(await failure { try await first.value() }?.code == .timedOut)
            #expect(Self.text(try await link.publish()) == "2")
            await broker.advance(.seconds(3))
            #expect(await failure { try await second.value() }?.code == .timedOut)
        }
    }

    // MARK: Cancellation

    @Test func `one that is cancelled before it was sent never is`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let first = client.startPublishing(try JSON("1"), to: "lobby")
            let cancelled = Task { try await client.startPublishing(try JSON("2"), to: "lobby").value() }
            let attempt = try await broker.attempt()
            cancelled.cancel()
            #expect(await failure { try await cancelled.value }?.code == .cancelled)
            let link = try await broker.accept(attempt)
            try await link.welcome(link.handshake())
            try await link.acknowledge(link.publish(), seq: 1)
            #expect(await link.unreadKinds() == [])
            #expect(try await first.value().seq == 1)
        }
    }

    @Test func `one that is cancelled after it was sent is not sent again`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let link = try await Self.connect(broker, client)
            let cancelled = Task { try await client.publish(1, to: "lobby") }
            let publish = try await link.publish()
            cancelled.cancel()
            #expect(await failure { try await cancelled.value }?.code == .cancelled)
            try await link.acknowledge(publish, seq: 1)
            try await link.lose()
            let next = try await broker.welcome()
            #expect(await next.unreadKinds() == [])
        }
    }

    @Test func `one that is cancelled while it waits for room lets those behind it in`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.outbox.bytes = 400 }
            let link = try await Self.connect(broker, client)
            let first = client.startPublishing(try JSON("1"), to: "lobby")
            let large = client.startPublishing(try JSON(encoding: String(repeating: "x", count: 300)), to: "lobby")
            let small = client.startPublishing(try JSON("3"), to: "lobby")
            #expect(Self.text(try await link.publish()) == "1")
            let cancelled = Task { try await large.value() }
            cancelled.cancel()
            _ = await cancelled.result
            #expect(Self.text(try await link.publish()) == "3")
            withExtendedLifetime((first, small)) {}
        }
    }

    // MARK: Ephemeral messages

    @Test func `an ephemeral message is sent once`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let link = try await Self.connect(broker, client)
            let publishing = Task { try await client.publishEphemeral(["typing": true], to: "lobby") }
            let publish = try await link.publish()
            #expect(publish.body.isEphemeral && publish.body.messageID == nil)
            try await link.acknowledge(publish, seq: nil)
            try await publishing.value
        }
    }

    @Test func `an ephemeral message needs a connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            #expect(await failure { try await client.publishEphemeral(1, to: "lobby") }?.code == .notConnected)
            #expect(await broker.attemptsWaiting() == 0)
            let link = try await Self.connect(broker, client)
            let publishing = Task { try await client.publishEphemeral(2, to: "lobby") }
            _ = try await link.publish()
            try await link.lose()
            #expect(await failure { try await publishing.value }?.code == .connectionLost)
            let next = try await broker.accept()
            #expect(await failure { try await client.publishEphemeral(3, to: "lobby") }?.code == .notConnected)
            try await next.welcome(next.handshake())
            #expect(await next.unreadKinds() == [])
        }
    }
}
