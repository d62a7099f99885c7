import Logging
package import NIOCore
import ServiceLifecycle

/// One address that HTTP is served on. It is bound already; `run` serves its connections until `stop`.
package struct HTTPServer: Service {
    private let channel: any Channel
    /// Of a Unix socket.
    private let path: String?
    private let accepted: AsyncStream<HTTPConnection>
    private let continuation: AsyncStream<HTTPConnection>.Continuation
    private let connections: HTTPConnections
    private let front: HTTPFront
    private let logger: Logger

    init(
        channel: any Channel,
        path: String?,
        accepted: AsyncStream<HTTPConnection>,
        continuation: AsyncStream<HTTPConnection>.Continuation,
        connections: HTTPConnections,
        front: HTTPFront,
        logger: Logger
    ) {
        self.channel = channel
        self.path = path
        self.accepted = accepted
        self.continuation = continuation
        self.connections = connections
        self.front = front
        self.logger = logger
    }

    /// Where it listens, with the port that the system picked.
    package var address: SocketAddress? { self.channel.localAddress }

    /// Serves each connection in a task of its own, until `stop`; returns on the graceful shutdown of the services.
    package func run() async throws {
        await withDiscardingTaskGroup { group in
            for await connection in self.accepted {
                group.addTask { await connection.serve(self.logger) }
            }
            await self.stop()
        }
        // A service that ends before its time ends the others with it.
        try await gracefulShutdown()
    }

    /// From now on requests are refused, but those for the broker's health; those that are under way are answered, and
    /// connections without one closed. It goes on to listen, so that whoever asks gets to know.
    package func drain() {
        self.front.drain.turnOn()
        self.connections.quiesce()
    }

    /// Returns once no connection is left.
    package func untilEmpty() async {
        await self.connections.untilEmpty()
    }

    /// Ends what is left. `run` returns.
    package func stop() async {
        try? await self.channel.close()  // closed already: just as well
        if let path { UnixSocket.remove(path) }
        self.continuation.finish()
        self.connections.closeAll()
    }
}
