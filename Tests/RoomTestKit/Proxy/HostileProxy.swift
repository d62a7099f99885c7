import NIOCore
import NIOPosix

/// A network between clients and a broker that does its worst, as its seed says; until it is told to be calm.
///
/// Its connections live on one event loop of its own.
package final class HostileProxy: Sendable {
    /// Where clients connect.
    package let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let core: NIOLoopBound<ProxyCore>

    private init(port: Int, group: MultiThreadedEventLoopGroup, core: NIOLoopBound<ProxyCore>) {
        self.port = port
        self.group = group
        self.core = core
    }

    /// Runs `body` with a proxy and ends it, however `body` ends.
    ///
    /// - Parameter plan: what happens to the connection of this number, counted from 0.
    package static func with<Value>(
        plan: @escaping @Sendable (Int) -> ProxyPlan,
        _ body: (HostileProxy) async throws -> Value
    ) async throws -> Value {
        let proxy = try await Self.start(plan)
        do {
            let value = try await body(proxy)
            try await proxy.stop()
            return value
        } catch {
            try await proxy.stop()
            throw error
        }
    }

    private static func start(_ plan: @escaping @Sendable (Int) -> ProxyPlan) async throws -> HostileProxy {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let core = try await loop.submit { NIOLoopBound(ProxyCore(plan: plan, loop: loop), eventLoop: loop) }.get()
        do {
            let listener = try await ServerBootstrap(group: loop)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try core.value.accepted(channel) }
                }
                .bind(host: "127.0.0.1", port: 0)
                .get()
            return HostileProxy(port: listener.localAddress?.port ?? 0, group: group, core: core)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
    }

    /// With its loop end its sockets.
    private func stop() async throws {
        try await self.group.shutdownGracefully()
    }

    /// Where the broker listens now; `nil`: it is down, and clients are sent away.
    package func forward(to port: Int?) async throws {
        try await self.post { $0.brokerPort = port }
    }

    /// From now on forwards everything faithfully, on connections that there are and on new ones.
    package func calm() async throws {
        try await self.post { $0.calmDown() }
    }

    /// Ends the connections that there are, as of a network that was gone for a moment.
    package func cut() async throws {
        try await self.post { $0.cut() }
    }

    /// How many connections clients have made.
    package func accepted() async throws -> Int {
        try await self.post { $0.accepted }
    }

    private func post<Value: Sendable>(_ work: @escaping @Sendable (ProxyCore) -> Value) async throws -> Value {
        try await self.core.eventLoop.submit { [core] in work(core.value) }.get()
    }
}
