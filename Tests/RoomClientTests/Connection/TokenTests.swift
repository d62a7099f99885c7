import NIOCore
import RoomModel
import RoomWire
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct TokenTests {
    private let tokens = TokenProviderStub()

    /// Connects with a token of the tokens's.
    private func welcome(
        _ broker: ScriptedBroker,
        clientID: String = "ann",
        token: String = "good"
    ) async throws
        -> ScriptedConnection
    {
        let link = try await broker.welcome(clientID: clientID)
        #expect(try await self.tokens.asked.next() == clientID)
        self.tokens.answers.add(token)
        let authenticate = try await link.authenticate()
        #expect(authenticate.body == token)
        try await link.answer(authenticate)
        return link
    }

    @Test func `each connection asks for a token with its client id`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            for number in 1...3 {
                let link = try await self.welcome(broker, clientID: "ann-\(number)", token: "token-\(number)")
                #expect(await client.state() == "connected ann-\(number)")
                try await link.lose()
            }
        }
    }

    @Test func `nothing is asked before the token is taken`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let link = try await broker.welcome()
            #expect(await client.state() == "connecting")
            #expect(await link.unreadKinds() == [])
            self.tokens.answers.add("good")
            try await link.answer(link.authenticate())
            try await link.acknowledge(link.publish(), seq: 1)
            #expect(try await publishing.value().seq == 1)
        }
    }

    @Test func `a provider that throws is a failed attempt`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            let connecting = Task { try await client.connect() }
            let link = try await broker.welcome()
            self.tokens.answers.add(nil)
            let error = await failure { try await connecting.value }
            #expect(error?.code == .tokenProviderFailed)
            #expect(error?.cause is TokenProviderStub.Failure)
            #expect(link.isClosed)
        }
    }

    @Test func `a provider is cancelled when its connection ends, and what it says later is not heard`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            let link = try await broker.welcome(clientID: "ann")
            #expect(try await self.tokens.asked.next() == "ann")
            try await link.lose()
            #expect(try await self.tokens.cancelled.next() == "ann")
            _ = try await self.welcome(broker, clientID: "bob")
            #expect(await client.state() == "connected bob")
        }
    }

    @Test func `a token that is refused for good closes the client`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            let link = try await broker.welcome()
            self.tokens.answers.add("bad")
            try await link.refuse(link.authenticate(), .tokenInvalid)
            #expect(await client.state() == "closed token_invalid")
        }
    }

    @Test func `an expired token of a provider is asked for again on the next connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            let link = try await broker.welcome()
            self.tokens.answers.add("old")
            try await link.refuse(link.authenticate(), .tokenExpired)
            #expect(link.isClosed)
            _ = try await self.tokens.asked.next()
            _ = try await self.welcome(broker, token: "new")
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `an expired fixed token closes the client`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: .fixed("old"))
            client.startConnecting()
            let link = try await broker.accept()
            try await link.refuse(link.handshake(), .tokenExpired)
            #expect(await client.state() == "closed token_expired")
        }
    }

    @Test func `a fixed token goes with the handshake of each connection, and nothing is asked for it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: .fixed("good"))
            let joining = client.startJoining("lobby", history: 0)
            for _ in 0..<2 {
                let link = try await broker.accept()
                let handshake = try await link.handshake()
                #expect(handshake.body.token == "good")
                #expect(await link.unreadKinds() == [])
                try await link.welcome(handshake)
                try await link.letIn()
                _ = try await joining.value()
                try await link.lose()
            }
        }
    }

    @Test(arguments: [TokenSource.fixed("good"), nil])
    func `a broker that takes no tokens for a while is asked again after it`(source: TokenSource?) async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: source ?? self.tokens.source)
            client.startConnecting()
            let link = try await broker.accept()
            let handshake = try await link.handshake()
            if source == nil {
                try await link.welcome(handshake)
                self.tokens.answers.add("good")
                try await link.refuse(link.authenticate(), .rateLimited, retryAfter: 3_000)
            } else {
                try await link.refuse(handshake, .rateLimited, retryAfter: 3_000)
            }
            #expect(await client.state() == "waiting rate_limited")
            await broker.advance(.milliseconds(2_999))
            #expect(await broker.attemptsWaiting() == 0)
            await broker.advance(.milliseconds(1))
            #expect(await broker.attemptsWaiting() == 1)
        }
    }

    @Test func `publishes whose token has expired are sent again in their order, before later ones`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            let link = try await self.welcome(broker)
            var publishing = [client.startPublishing(try JSON("1"), to: "lobby")]
            publishing.append(client.startPublishing(try JSON("2"), to: "lobby"))
            let frames = [try await link.publish(), try await link.publish()]
            for frame in frames.reversed() { try await link.refuse(frame, .tokenExpired) }
            publishing.append(client.startPublishing(try JSON("3"), to: "lobby"))
            #expect(await link.unreadKinds() == [])
            _ = try await self.tokens.asked.next()
            self.tokens.answers.add("new")
            try await link.answer(link.authenticate())
            for seq in UInt64(1)...3 {
                let frame = try await link.publish()
                #expect(String(buffer: frame.body.message) == "\(seq)")
                try await link.acknowledge(frame, seq: seq)
            }
            for (index, pending) in publishing.enumerated() {
                #expect(try await pending.value().seq == UInt64(index + 1))
            }
        }
    }

    @Test func `a publish whose token has expired is sent again with the next one`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            let link = try await self.welcome(broker)
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let first = try await link.publish()
            try await link.refuse(first, .tokenExpired, retryAfter: 1_000)
            _ = try await self.tokens.asked.next()
            self.tokens.answers.add("new")
            let authenticate = try await link.authenticate()
            #expect(authenticate.body == "new")
            try await link.answer(authenticate)
            await broker.advance(.seconds(1))
            let second = try await link.publish()
            #expect(second.line == first.line)
            try await link.acknowledge(second, seq: 1)
            #expect(try await publishing.value().seq == 1)
        }
    }

    @Test func `a subscribe whose token has expired is asked again with the next one`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            let joining = client.startJoining("lobby", history: 0)
            let link = try await self.welcome(broker)
            try await link.refuse(link.subscribe(), .tokenExpired)
            _ = try await self.tokens.asked.next()
            self.tokens.answers.add("new")
            try await link.answer(link.authenticate())
            try await link.letIn()
            #expect(try await joining.value().name == "lobby")
        }
    }

    @Test func `any answer that a token has expired gets the next one, once`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            let link = try await self.welcome(broker)
            let updating = Task { try await client.update("a") }
            try await link.refuse(link.update(), .tokenExpired)
            #expect(try await self.tokens.asked.next() == "ann")
            try await link.send(link.frame { $0.error(RequestError(.tokenExpired, "t")) })
            self.tokens.answers.add("new")
            try await link.answer(link.authenticate())
            try await link.answer(link.update())
            try await updating.value
            #expect(self.tokens.asked.takeAll() == [])
            try await link.send(link.frame { $0.error(RequestError(.tokenExpired, "t")) })
            #expect(try await self.tokens.asked.next() == "ann")
        }
    }

    @Test func `a renewal that fails ends the connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(token: self.tokens.source)
            client.startConnecting()
            let link = try await self.welcome(broker)
            try await link.send(link.frame { $0.error(RequestError(.tokenExpired, "t")) })
            _ = try await self.tokens.asked.next()
            self.tokens.answers.add(nil)
            _ = try await self.welcome(broker)
            #expect(link.isClosed)
        }
    }

    @Test func `the client is closed when its provider has returned`() async throws {
        try await ScriptedBroker.with { broker in
            let (gate, events) = (Inbox<Void>(), Inbox<String>())
            let client = try broker.client(
                token: .provider { _ in
                    // Does not hear of the cancellation.
                    await Task { try? await gate.next() }.value
                    events.add("returned")
                    return "late"
                }
            )
            client.startConnecting()
            _ = try await broker.welcome()
            let closing = Task {
                await client.close()
                events.add("closed")
            }
            while await client.state() != "closed" { await Task.yield() }
            gate.add(())
            await closing.value
            #expect(events.takeAll() == ["returned", "closed"])
        }
    }
}
