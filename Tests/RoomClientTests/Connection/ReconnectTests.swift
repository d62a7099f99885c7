import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient

/// `reconnect()`: what an app calls when it comes to the foreground.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct ReconnectTests {
    @Test func `the pause between two attempts ends`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(3_600), cap: .seconds(3_600)) }
            client.startConnecting()
            try await broker.refuse()
            #expect(await client.state() == "waiting connection_failed")
            #expect(await broker.attemptsWaiting() == 0)
            client.reconnect()
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `the broker's own pause is waited for`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(3_600), cap: .seconds(3_600)) }
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.goodbye(.shuttingDown, retryAfter: 7_000)
            client.reconnect()
            #expect(await broker.attemptsWaiting() == 0)
            await broker.advance(.milliseconds(6_999))
            #expect(await broker.attemptsWaiting() == 0)
            await broker.advance(.milliseconds(1))
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `each attempt goes to the next node of a cluster, and the session goes with it`() async throws {
        try await ScriptedBroker.with { broker in
            let other = ClientTransport.current.url(host: "other.example", port: 7_001)
            let client = try broker.client { $0.otherURLs = [other] }
            client.startConnecting()
            let first = try await broker.attempt()
            #expect(first.address.host == "broker.example")
            let link = try await broker.accept(first)
            try await link.welcome(link.handshake(), clientID: "ann", resumeToken: "token-1")
            try await link.lose()
            await broker.settle()
            let second = try await broker.attempt()
            #expect(second.address.host == "other.example")
            let handshake = try await broker.accept(second).handshake()
            #expect(handshake.body.resume == "token-1")
        }
    }

    @Test func `nodes have to be reached in the same way`() {
        var configuration = RoomClient.Configuration()
        configuration.otherURLs = ["tls://b.example"]
        #expect(throws: RoomClientError.self) {
            try RoomClient("tcp://a.example", channel: "test", configuration: configuration)
        }
    }

    @Test func `a healthy connection is asked for a sign of life, and stays`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            client.reconnect()
            #expect(await link.unreadKinds() == ["ping"])
            await broker.advance(.milliseconds(2_999))
            try await link.pong()
            await broker.advance(.milliseconds(4_999))
            #expect(!link.isClosed)
            #expect(await link.unreadKinds() == [])
            await broker.advance(.milliseconds(1))
            #expect(await link.unreadKinds() == ["ping"])
        }
    }

    @Test func `a dead connection is replaced, and its session resumed`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome(resumeToken: "token-7")
            client.reconnect()
            await broker.advance(.milliseconds(2_999))
            #expect(!link.isClosed)
            await broker.advance(.milliseconds(1))
            #expect(link.isClosed)
            let next = try await broker.accept()
            #expect(try await next.handshake().body.resume == "token-7")
        }
    }

    @Test func `one attempt is made although nothing needs a connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.reconnect()
            client.reconnect()
            try await broker.refuse()
            #expect(await broker.attemptsWaiting() == 0)
            #expect(await client.state() == "idle")
        }
    }

    @Test func `a closed client stays closed`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            await client.close()
            client.reconnect()
            #expect(await broker.attemptsWaiting() == 0)
            #expect(await client.state() == "closed")
        }
    }
}
