import RoomClient
import RoomTestKit

/// A broker whose channel wants tokens, and the way there, on which the frames are noted for the schemas.
struct TokenNetwork {
    let broker: BrokerProcess
    let mint: TokenMint
    private let proxy: HostileProxy
    private let url: String

    /// - Parameter settings: of the channel, besides that it wants tokens.
    static func with(settings: String = "", _ body: (TokenNetwork) async throws -> Void) async throws {
        let flags = ["--channel", "default,auth=required,history=1000\(settings)", "--token-skew", "0s"]
        try await BrokerProcess.with(flags: flags) { broker in
            try await HostileProxy.with(plan: { _ in .faithful }) { proxy in
                try await proxy.forward(to: broker.clientPort)
                let url = ClientTransport.current.url(port: proxy.port)
                try await body(TokenNetwork(broker: broker, mint: try broker.tokens(), proxy: proxy, url: url))
            }
        }
    }

    /// Kills the broker with -9 and starts it again.
    func restart() async throws {
        try await self.broker.kill9()
        try await self.broker.restart()
        try await self.proxy.forward(to: self.broker.clientPort)
    }

    /// Ends the connections that there are; the broker keeps their sessions for a while.
    func dropConnections() async throws { try await self.proxy.cut() }

    /// How many connections clients have made.
    func connections() async throws -> Int { try await self.proxy.accepted() }

    /// - Parameter token: `nil`: it shows none.
    func client(token: String?) throws -> RoomClient {
        let source = token.map { TokenSource.fixed($0) } ?? .none
        return try RoomClient(self.url, channel: "default", token: source, configuration: Self.configuration)
    }

    func client(provider: @escaping RoomClient.TokenProvider) throws -> RoomClient {
        try RoomClient(self.url, channel: "default", token: .provider(provider), configuration: Self.configuration)
    }

    private static let configuration: RoomClient.Configuration = {
        var configuration = RoomClient.Configuration()
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return configuration
    }()
}
