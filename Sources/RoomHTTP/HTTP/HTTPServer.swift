package import NIOCore
import RoomCore
import ServiceLifecycle

/// One address that HTTP is served on, from when it is bound until `stop`.
package struct HTTPServer: Service {
    private let channel: any Channel
    /// The path of a Unix socket.
    private let path: String?
    private let connections: HTTPConnections
    private let front: HTTPFront
    private let stopped = DrainSignal()

    init(channel: any Channel, path: String?, connections: HTTPConnections, front: HTTPFront) {
        self.channel = channel
        self.path = path
        self.connections = connections
        self.front = front
    }

    /// Where it listens, with the port that the system picked.
    package var address: SocketAddress? { self.channel.localAddress }

    /// Returns when the server has stopped and all its requests have ended, and the services shut down.
    package func run() async throws {
        await self.stopped.wait()
        await self.stop()
        await self.connections.untilEmpty()
        await self.connections.requests.untilNone()
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
        self.connections.closeAll()
        self.stopped.turnOn()
    }
}
