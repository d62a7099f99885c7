import NIOCore
import RoomModel
import Testing

@testable import RoomClient

/// The app's own `authenticate(_:)`.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct AuthenticateTests {
    @Test func `a token is taken now, and on all further connections`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let authenticating = client.startAuthenticating("t")
            let authenticate = try await link.authenticate()
            #expect(authenticate.body == "t")
            try await link.answer(authenticate)
            try await authenticating.value()
            try await link.lose()
            let next = try await broker.accept()
            #expect(try await next.handshake().body.token == "t")
        }
    }

    @Test func `a token that is refused is thrown, and none to come back with`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let authenticating = client.startAuthenticating("bad")
            try await link.refuse(link.authenticate(), .tokenInvalid)
            #expect(await failure { try await authenticating.value() }?.code == .tokenInvalid)
            try await link.lose()
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `without a connection the next one brings the token`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let authenticating = client.startAuthenticating("t")
            let link = try await broker.accept()
            let handshake = try await link.handshake()
            #expect(handshake.body.token == "t")
            try await link.welcome(handshake)
            let authenticate = try await link.authenticate()
            #expect(authenticate.body == "t")
            try await link.answer(authenticate)
            try await authenticating.value()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `an answer that was lost is asked for again, before all that may need the token`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            _ = try await joining.value()
            let authenticating = client.startAuthenticating("t")
            _ = try await link.authenticate()
            try await link.lose()
            let next = try await broker.welcome()
            try await next.answer(next.authenticate())
            try await authenticating.value()
            try await next.letIn()
        }
    }

    @Test func `a token that comes while hands are shaken is shown right after`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.accept()
            let handshake = try await link.handshake()
            #expect(handshake.body.token == nil)
            let authenticating = client.startAuthenticating("t")
            await broker.settle()
            try await link.welcome(handshake)
            #expect(await client.state() == "connecting")
            try await link.answer(link.authenticate())
            #expect(await client.state() == "connected ann")
            try await link.answer(link.authenticate())
            try await authenticating.value()
        }
    }
}
