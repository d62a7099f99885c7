import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import RoomTestKit

@testable import RoomClient

/// A broker that does what a test says, without sockets: connections are channels in memory, and time passes only when it
/// is advanced.
final class ScriptedBroker: Sendable {
    /// The address of a broker that is reached over the transport of this test.
    let url = ClientTransport.current.url(host: "broker.example", port: 7_000)
    let loop = NIOAsyncTestingEventLoop()
    private let attempts = Inbox<ConnectionAttempt>()
    private let connections = Inbox<ScriptedConnection>()

    /// Runs a test, and takes down what it leaves behind.
    nonisolated(nonsending)
        static func with<Value>(_ body: (ScriptedBroker) async throws -> Value) async throws -> Value
    {
        let broker = ScriptedBroker()
        do {
            let value = try await body(broker)
            try await broker.shutDown()
            return value
        } catch {
            try await broker.shutDown()
            throw error
        }
    }

    /// A client of this broker, which has not connected yet. Its first pause between attempts is none at all.
    func client(
        memberData: JSON? = nil,
        token: TokenSource = .none,
        logger: Logger? = nil,
        network: ScriptedNetwork? = nil,
        _ configure: (inout RoomClient.Configuration) -> Void = { _ in }
    ) throws -> RoomClient {
        var configuration = RoomClient.Configuration()
        configuration.backoff = Backoff(base: .zero)
        configure(&configuration)
        return RoomClient(
            identity: ClientSession.Identity(
                addresses: try [BrokerAddress(self.url)] + configuration.otherURLs.map { try BrokerAddress($0) },
                channel: "test",
                memberData: memberData,
                token: token
            ),
            configuration: configuration,
            connector: ScriptedConnector(attempts: self.attempts),
            loop: self.loop,
            network: network,
            log: ClientLog(logger)
        )
    }

    // MARK: Time

    func advance(_ time: TimeAmount) async {
        await self.loop.advanceTime(by: time)
    }

    /// Lets the client do all that it can do now.
    func settle() async {
        await self.loop.run()
    }

    // MARK: Connections

    /// The client's next attempt to connect, to be answered later.
    func attempt() async throws -> ConnectionAttempt {
        try await self.attempts.next()
    }

    /// Whether the client tries to connect just now.
    func attemptsWaiting() async -> Int {
        await self.settle()
        let waiting = self.attempts.takeAll()
        for attempt in waiting { self.attempts.add(attempt) }
        return waiting.count
    }

    /// Lets the next attempt succeed.
    ///
    /// - Parameter upgrade: what a WebSocket is answered; `nil`: that it is open.
    func accept(upgrade: String? = nil) async throws -> ScriptedConnection {
        try await self.accept(self.attempt(), upgrade: upgrade)
    }

    func accept(_ attempt: ConnectionAttempt, upgrade: String? = nil) async throws -> ScriptedConnection {
        let connection = ScriptedConnection(loop: self.loop, upgrade: upgrade)
        self.connections.add(connection)
        try await connection.open(attempt)
        await self.settle()
        return connection
    }

    /// Lets the next attempt fail.
    func refuse(_ error: any Error = ChannelError.connectTimeout(.seconds(1))) async throws {
        try await self.attempt().answer(.failure(error))
        await self.settle()
    }

    /// Lets the next attempt succeed, and answers its handshake.
    func welcome(clientID: String = "ann", resumeToken: String? = "token-1") async throws -> ScriptedConnection {
        let connection = try await self.accept()
        let handshake = try await connection.handshake()
        try await connection.welcome(handshake, clientID: clientID, resumeToken: resumeToken)
        return connection
    }

    private func shutDown() async throws {
        for connection in self.connections.takeAll() { try await connection.lose() }
        for attempt in self.attempts.takeAll() { attempt.answer(.failure(ChannelError.eof)) }
        await self.settle()
        await self.loop.shutdownGracefully()
    }
}

/// The client's wish for a connection.
final class ConnectionAttempt: Sendable {
    let address: BrokerAddress
    let timeout: TimeAmount
    let handler: @Sendable () -> LinkHandler
    private let promise: EventLoopPromise<any Channel>
    private let isAnswered = NIOLockedValueBox(false)

    init(
        address: BrokerAddress,
        timeout: TimeAmount,
        promise: EventLoopPromise<any Channel>,
        handler: @escaping @Sendable () -> LinkHandler
    ) {
        self.address = address
        self.timeout = timeout
        self.promise = promise
        self.handler = handler
    }

    deinit {
        // The client's thread may be the last that has it, before an answer has reached the loop.
        if !self.isAnswered.withLockedValue(\.self) { self.promise.fail(ChannelError.eof) }
    }

    func answer(_ result: Result<any Channel, any Error>) {
        self.isAnswered.withLockedValue { $0 = true }
        self.promise.completeWith(result)
    }
}

private struct ScriptedConnector: Connector {
    let attempts: Inbox<ConnectionAttempt>

    func connect(
        to address: BrokerAddress,
        on loop: any EventLoop,
        timeout: TimeAmount,
        handler: @escaping @Sendable () -> LinkHandler
    ) -> EventLoopFuture<any Channel> {
        let promise = loop.makePromise(of: (any Channel).self)
        self.attempts.add(
            ConnectionAttempt(address: address, timeout: timeout, promise: promise, handler: handler)
        )
        return promise.futureResult
    }
}
