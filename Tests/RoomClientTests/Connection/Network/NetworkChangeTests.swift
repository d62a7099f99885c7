import NIOCore
import Testing

@testable import RoomClient

/// What the client does when the system says that the network has changed.
@Suite(.timeLimit(.minutes(5)))
struct NetworkChangeTests {
    private let network = ScriptedNetwork()

    @Test func `the pause between two attempts ends`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(network: self.network) { $0.backoff = Self.long }
            client.startConnecting()
            try await broker.refuse()
            #expect(await broker.attemptsWaiting() == 0)
            self.network.change()
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `a connection is asked for a sign of life`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(network: self.network)
            client.startConnecting()
            let link = try await broker.welcome()
            self.network.change()
            #expect(await link.unreadKinds() == ["ping"])
        }
    }

    @Test func `a client that nothing has needed so far does not connect`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(network: self.network)
            self.network.change()
            #expect(await broker.attemptsWaiting() == 0)
            #expect(await client.state() == "idle")
        }
    }

    @Test func `a closed client does not listen any more`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(network: self.network)
            #expect(self.network.isWatched)
            await client.close()
            #expect(!self.network.isWatched)
        }
    }

    @Test func `a client that nobody holds any more does not listen either`() async throws {
        try await ScriptedBroker.with { broker in
            do {
                let client = try broker.client(network: self.network)
                #expect(self.network.isWatched && client.clientID == nil)
            }
            await broker.settle()
            #expect(!self.network.isWatched)
        }
    }

    private static let long = Backoff(base: .seconds(3_600), cap: .seconds(3_600))
}
