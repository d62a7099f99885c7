import HummingbirdCore
package import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
package import NIOPosix
package import NIOSSL
package import RoomCore
package import RoomDelivery
import RoomModel

/// Listens for HTTP/1.1 on one address or Unix socket, on the event loops of the shards.
package struct HTTPListener: Sendable {
    package struct Options: Sendable {
        package var limits = HTTPLimits()
        package var backlog = 4_096
        /// `nil`: no TLS.
        package var tls: NIOSSLContext?

        package init() {}
    }

    private let front: HTTPFront
    private let shards: [ShardRef]
    private let gate: ConnectionGate
    private let accepts: AcceptLimit
    private let options: Options
    private let logger: Logger

    package init(
        front: HTTPFront,
        shards: [ShardRef],
        gate: ConnectionGate,
        accepts: AcceptLimit,
        options: Options,
        logger: Logger
    ) {
        self.front = front
        self.shards = shards
        self.gate = gate
        self.accepts = accepts
        self.options = options
        self.logger = logger
    }

    /// Binds a TCP address; connections wait until the server runs.
    ///
    /// - Throws: what the system says where the address cannot be bound.
    package func listen(host: String, port: Int, group: MultiThreadedEventLoopGroup) async throws -> HTTPServer {
        let isTLS = self.options.tls != nil
        return try await self.server(group, path: nil) { channel in
            try Self.setTCPOptions(channel)
            let address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
            let isLocal = address?.isLoopback ?? false
            return HTTPPeer(transport: isTLS ? .tls : .tcp, address: address, isLocal: isLocal)
        } bind: { bootstrap in
            try await bootstrap.bind(host: host, port: port).get()
        }
    }

    /// One small read at a time, which the connection keeps until its turn.
    private static func setOptions(_ channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 16_384)
        )
    }

    private static func setTCPOptions(_ channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
        try options.setOption(.socketOption(.so_keepalive), value: 1)
        #if os(Linux)
        // TCP_USER_TIMEOUT (tcp(7)), in milliseconds: whoever does not read its answer for so long is let go
        try options.setOption(.tcpOption(.init(rawValue: 18)), value: 30_000)
        #endif
    }

    /// Binds a Unix socket that this user alone can open. What a killed broker left there is removed.
    ///
    /// - Throws: `ListenError`, or what the system says.
    package func listen(unixSocket path: String, group: MultiThreadedEventLoopGroup) async throws -> HTTPServer {
        try UnixSocket.prepare(path)
        return try await self.server(group, path: path) { channel in
            guard let user = UnixSocket.peer(of: channel), UnixSocket.mayConnect(user) else {
                throw ListenError("the socket belongs to another user")
            }
            return HTTPPeer(transport: .unix(uid: user), address: nil, isLocal: true)
        } bind: { bootstrap in
            let channel = try await bootstrap.bind(unixDomainSocketPath: path).get()
            UnixSocket.makePrivate(path)
            return channel
        }
    }

    private func server(
        _ group: MultiThreadedEventLoopGroup,
        path: String?,
        peer: @escaping @Sendable (any Channel) throws -> HTTPPeer,
        bind: (ServerBootstrap) async throws -> any Channel
    ) async throws -> HTTPServer {
        let (accepted, continuation) = AsyncStream.makeStream(of: HTTPConnection.self)
        let connections = HTTPConnections()
        let turns = HTTPLoopTurns(self.shards)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Int32(clamping: self.options.backlog))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: path == nil ? 1 : 0)
            .serverChannelInitializer {
                [accepts, most = path == nil ? self.gate.limits.files(for: .http) : .max] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPauser(accepts, most: most))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Self.setOptions(channel)
                    let peer = try peer(channel)
                    guard try self.admit(channel, peer) else { return }
                    connections.add(channel)
                    channel.closeFuture.whenComplete { _ in connections.remove(channel) }
                    guard let turns = turns[channel.eventLoop] else { throw ChannelError.ioOnClosedChannel }
                    return try self.initialize(channel, peer, turns, continuation)
                }
            }
        let channel = try await bind(bootstrap)
        return HTTPServer(
            channel: channel,
            path: path,
            accepted: accepted,
            continuation: continuation,
            connections: connections,
            front: self.front,
            logger: self.logger
        )
    }

    /// Counts the connection; one too many is told so and closed. The Unix socket is for those who mend that, so it has
    /// no limit.
    private func admit(_ channel: any Channel, _ peer: HTTPPeer) throws -> Bool {
        if case .unix = peer.transport { return true }
        let gate = self.gate
        let admission = gate.enter(peer.address, side: .http, now: NIODeadline.now().uptimeNanoseconds)
        channel.closeFuture.whenComplete { _ in gate.leave(peer.address, admission) }
        let refusal: RequestError
        switch admission {
        case .admitted: return true
        case .refused(let error): refusal = error
        // The answer is written and the connection closed in one turn, so that nobody is left without one.
        case .turnedAway: refusal = RequestError(.tooManyConnections, ConnectionGate.full)
        }
        try channel.pipeline.syncOperations.addHandler(OverloadResponder(Problem(refusal), tls: self.options.tls))
        return false
    }

    private func initialize(
        _ channel: any Channel,
        _ peer: HTTPPeer,
        _ turns: HTTPTurns,
        _ accepted: AsyncStream<HTTPConnection>.Continuation
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls = self.options.tls, peer.transport == .tls {
            try pipeline.addHandler(NIOSSLServerHandler(context: tls))
        }
        let front = self.front
        let slot = HTTPLoad.Slot(front.load) { channel.close(promise: nil) }
        let work = RequestWork()
        let requests = HTTPRequestGuard(
            limits: self.options.limits,
            drain: front.drain,
            slot: slot,
            date: front.dateText
        )
        try pipeline.addHandler(
            HTTPRequestPacer(
                requests,
                turns: turns,
                work: work,
                address: peer.address,
                isProxy: front.isTrustedProxy(peer.address),
                limits: self.options.limits
            )
        )
        let http = HTTP1Channel(
            responder: { request, writer, _ in
                let response = await front.respond(to: request, from: peer, in: slot, charging: work)
                try await writer.write(response: response.head, body: response.body)
            },
            configuration: self.configuration
        )
        // done at once, since this is the channel's loop
        let value = http.setup(channel: channel, logger: self.logger)
        let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(requests, position: .after(parser))
        let logger = self.logger
        value.whenSuccess { channel in
            let connection = HTTPConnection(http: http, channel: channel)
            guard case .terminated = accepted.yield(connection) else { return }
            // accepted while the server stops: it is closed already, and has to be served to its end all the same
            Task { await connection.serve(logger) }
        }
    }

    private var configuration: HTTP1Channel.Configuration {
        let limits = self.options.limits
        return HTTP1Channel.Configuration(
            idleTimeout: limits.idleTime,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.field,
                maxHeaderListSize: limits.fields,
                maxHeaderFieldCount: limits.fieldCount
            )
        )
    }
}

/// A connection that was accepted, ready to be served.
struct HTTPConnection: Sendable {
    let http: HTTP1Channel
    let channel: HTTP1Channel.Value

    func serve(_ logger: Logger) async {
        await self.http.handle(value: self.channel, logger: logger)
    }
}
