import NIOCore
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct ConnectTests {
    @Test func `nothing connects before something is asked`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            #expect(await broker.attemptsWaiting() == 0)
            #expect(await client.state() == "idle")
            #expect(client.clientID == nil)
        }
    }

    @Test func `connect gives the client id, at once when there is a connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let connecting = Task { try await client.connect() }
            let attempt = try await broker.attempt()
            #expect(attempt.address == (try BrokerAddress(broker.url)))
            #expect(attempt.timeout == .seconds(10))
            let link = try await broker.accept(attempt)
            #expect(await client.state() == "connecting")
            try await link.welcome(link.handshake(), clientID: "ann")
            #expect(try await connecting.value == "ann")
            #expect(try await client.connect() == "ann")
        }
    }

    @Test func `connect throws why the first attempt failed, and the client rests`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            for _ in 0..<2 {
                let connecting = Task { try await client.connect() }
                try await broker.refuse()
                let error = await failure { try await connecting.value }
                #expect(error?.code == .connectionFailed)
                #expect(error?.cause is ChannelError)
                #expect(await client.state() == "idle")
                await broker.advance(.hours(1))
                #expect(await broker.attemptsWaiting() == 0)
            }
        }
    }

    @Test func `connect throws after the first attempt, and the client goes on for those who wait`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let connecting = Task { try await client.connect() }
            let attempt = try await broker.attempt()
            await Self.wait(until: client, isWaitedForBy: connecting)
            attempt.answer(.failure(ChannelError.eof))
            #expect(await failure { try await connecting.value }?.code == .connectionFailed)
            let link = try await broker.welcome()
            try await link.acknowledge(link.publish(), seq: 1)
            #expect(try await publishing.value().seq == 1)
        }
    }

    /// Until the task's `connect()` has reached the client's event loop, the next one would not be behind it.
    private static func wait(until client: RoomClient, isWaitedForBy task: Task<String, any Error>) async {
        while await client.connectCalls() == 0 { await Task.yield() }
    }

    @Test func `there are never two attempts at once`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            _ = client.startJoining("lobby", history: 0)
            _ = client.startPublishing(try JSON("1"), to: "lobby")
            let attempt = try await broker.attempt()
            await broker.advance(.seconds(9))
            #expect(await broker.attemptsWaiting() == 0)
            let link = try await broker.accept(attempt)
            client.startConnecting()
            #expect(await broker.attemptsWaiting() == 0)
            try await link.welcome(link.handshake())
            client.startConnecting()
            #expect(await broker.attemptsWaiting() == 0)
        }
    }

    @Test func `opening takes no longer than the patience for it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.connectTimeout = .seconds(4) }
            client.startConnecting()
            let late = try await broker.attempt()
            await broker.advance(.milliseconds(3_999))
            #expect(await client.state() == "connecting")
            await broker.advance(.milliseconds(1))
            let link = try await broker.welcome()
            // What comes of the first attempt now is of no interest.
            let other = try await broker.accept(late)
            #expect(other.isClosed)
            #expect(await other.unreadKinds() == [])
            #expect(await client.state() == "connected ann")
            #expect(!link.isClosed)
        }
    }

    @Test func `a broker that accepts and says nothing is given up`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let connecting = Task { try await client.connect() }
            let link = try await broker.accept()
            _ = try await link.handshake()
            await broker.advance(.seconds(10))
            #expect(await failure { try await connecting.value }?.code == .timedOut)
            #expect(link.isClosed)
        }
    }

    @Test func `a connection that ended while it was being opened is a failed attempt`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let attempt = try await broker.attempt()
            let link = ScriptedConnection(loop: broker.loop)
            try await link.activate(attempt)
            try await link.lose()
            attempt.answer(.success(link.channel))
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `of several addresses tried at once, the ones that lose do not disturb the one that won`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let attempt = try await broker.attempt()
            let (early, late) = (ScriptedConnection(loop: broker.loop), ScriptedConnection(loop: broker.loop))
            try await early.activate(attempt)
            try await late.activate(attempt)
            try await early.lose()
            let link = try await broker.accept(attempt)
            let handshake = try await link.handshake()
            try await late.sendBytes("220 mail.example\n")
            try await late.lose()
            try await link.welcome(handshake)
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `pauses grow while nothing works, and are kept`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(1), cap: .seconds(6)) }
            client.startConnecting()
            for longest: Duration in [.seconds(1), .seconds(2), .seconds(4), .seconds(6), .seconds(6)] {
                try await broker.refuse()
                var states = client.connectionState.makeAsyncIterator()
                let pause = try #require(await states.next()?.pause)
                #expect(pause <= longest)
                await broker.advance(TimeAmount(pause) - .nanoseconds(1))
                #expect(await broker.attemptsWaiting() == 0)
                await broker.advance(.nanoseconds(1))
            }
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `the scope closes the client, however it ends`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let scope = Task { try await client.withConnection { _ in throw CancellationError() } }
            let link = try await broker.welcome()
            while !link.isOutputClosed { await broker.settle() }
            try await link.lose()
            await #expect(throws: CancellationError.self) { try await scope.value }
            #expect(await client.state() == "closed")
        }
    }
}
