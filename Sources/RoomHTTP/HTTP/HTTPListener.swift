package import NIOCore
import NIOHTTP1
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
        /// The TLS context of a new connection; `nil`: no TLS.
        package var tls: (@Sendable () -> NIOSSLContext)?
        /// Says what went wrong with a client's TLS; `nil` for another error.
        package var tlsFault: @Sendable (any Error) -> String? = { _ in nil }
        /// How long a WebSocket or an event stream may leave sent bytes unacknowledged before the kernel gives it up.
        package var userTimeout = TimeAmount.seconds(30)

        package init() {}
    }

    private let front: HTTPFront
    private let shards: [ShardRef]
    private let gate: ConnectionGate
    private let accepts: AcceptLimit
    private let options: Options
    private let webSockets: WebSocketAcceptor?
    private let events: EventStreamAcceptor?

    /// - Parameters:
    ///   - webSockets: takes over the connections of TCP that become WebSockets; `nil`: there are none.
    ///   - events: takes over those that become event streams.
    package init(
        front: HTTPFront,
        shards: [ShardRef],
        gate: ConnectionGate,
        accepts: AcceptLimit,
        options: Options,
        webSockets: WebSocketAcceptor? = nil,
        events: EventStreamAcceptor? = nil
    ) {
        self.front = front
        self.shards = shards
        self.gate = gate
        self.accepts = accepts
        self.options = options
        self.webSockets = webSockets
        self.events = events
    }

    /// Binds a TCP address, and serves it at once.
    ///
    /// - Throws: what the system says where the address cannot be bound.
    package func listen(host: String, port: Int, group: MultiThreadedEventLoopGroup) async throws -> HTTPServer {
        let isTLS = self.options.tls != nil
        return try await self.server(group, path: nil) { channel in
            let address = channel.remoteAddress?.address
            let isLocal = address?.isLoopback ?? false
            return HTTPPeer(transport: isTLS ? .tls : .tcp, address: address, isLocal: isLocal)
        } bind: { bootstrap in
            // whoever does not read its answer for so long is let go
            let inherited = InheritedTCPOptions.all(userTimeout: .seconds(30))
            return try await inherited.reduce(bootstrap) { $0.serverChannelOption($1.option, value: $1.value) }
                .bind(host: host, port: port).get()
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

    /// As for the members on TCP: they stay for long, say little, and hear much.
    private static func setStreamOptions(_ channel: any Channel, userTimeout: TimeAmount) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536)
        )
        #if os(Linux)
        try options.setOption(.tcpUserTimeout, value: userTimeout.wholeMilliseconds)
        #endif
    }

    /// Binds a Unix socket that this user alone can open. A socket that a killed broker left there is removed.
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
                    guard let place = try self.admit(channel, peer) else { return }
                    connections.add(channel)
                    channel.closeFuture.whenComplete { _ in connections.remove(channel) }
                    guard let turns = turns[channel.eventLoop] else { throw ChannelError.ioOnClosedChannel }
                    try self.initialize(channel, peer, place, turns, connections)
                }
            }
        let channel = try await bind(bootstrap)
        return HTTPServer(
            channel: channel,
            path: path,
            connections: connections,
            front: self.front
        )
    }

    /// Counts the connection; one too many is told so and closed, and there is no place for it. The Unix socket is for
    /// those who mend that, so it has no limit.
    private func admit(_ channel: any Channel, _ peer: HTTPPeer) throws -> GatePlace? {
        if case .unix = peer.transport { return GatePlace(self.gate, nil, .turnedAway) }
        let admission = self.gate.enter(peer.address, side: .http, now: NIODeadline.now().uptimeNanoseconds)
        let place = GatePlace(self.gate, peer.address, admission)
        channel.closeFuture.assumeIsolated().whenComplete { _ in place.leave() }
        let refusal: RequestError
        switch admission {
        case .admitted: return place
        case .refused(let error): refusal = error
        // The answer is written and the connection closed in one turn, so that nobody is left without one.
        case .turnedAway: refusal = RequestError(.tooManyConnections, ConnectionGate.full)
        }
        try channel.pipeline.syncOperations.addHandler(
            OverloadResponder(Problem(refusal), isTLS: self.options.tls != nil)
        )
        return nil
    }

    private func initialize(
        _ channel: any Channel,
        _ peer: HTTPPeer,
        _ place: GatePlace,
        _ turns: HTTPTurns,
        _ connections: HTTPConnections
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls = self.options.tls, peer.transport == .tls {
            try pipeline.addHandler(NIOSSLServerHandler(context: tls()))
        }
        let (front, limits) = (self.front, self.options.limits)
        let slot = HTTPLoad.Slot(front.load) { channel.close(promise: nil) }
        let work = RequestWork()
        let requests = HTTPRequestGuard(limits: limits, drain: front.drain, slot: slot, date: front.dateText)
        requests.onRefusal = { front.ended(by: $0, from: peer) }
        let pacer = HTTPRequestPacer(
            requests,
            turns: turns,
            work: work,
            address: peer.address,
            isProxy: front.isTrustedProxy(peer.address),
            limits: limits
        )
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits.ofParser)
        )
        let departure = HTTPDeparture(pacer, encoder, decoder, requests)
        let streams = self.streams(departure, peer, place, slot, connections)
        let handler = HTTPRequestHandler(
            tasks: connections.requests,
            upgrader: streams.upgrader,
            events: streams.opener
        ) { request, problem in
            await front.respond(to: request, from: peer, in: slot, charging: work, refusing: problem)
        }
        handler.onError = { [fault = self.options.tlsFault] error in
            if let text = fault(error) { front.ended(withoutTLS: text, from: peer) }
        }
        let handlers: [any ChannelHandler] = [pacer, encoder, decoder, requests, handler]
        try pipeline.addHandlers(handlers)
    }

    /// The ways out of HTTP; there are none from the Unix socket, which is for those who mend the broker.
    private func streams(
        _ departure: HTTPDeparture,
        _ peer: HTTPPeer,
        _ place: GatePlace,
        _ slot: HTTPLoad.Slot,
        _ connections: HTTPConnections
    ) -> (upgrader: WebSocketUpgrader?, opener: EventStreamOpener?) {
        if case .unix = peer.transport { return (nil, nil) }
        let front = self.front
        let admit = { (request: HTTPRequest) throws(Problem) -> StreamPeer in
            let client = try front.streamPeer(request, from: peer, in: slot)
            try place.moveToRooms(as: client.address, now: .now())
            return client
        }
        let prepare = { [userTimeout = self.options.userTimeout] (channel: any Channel) throws in
            connections.remove(channel)
            try Self.setStreamOptions(channel, userTimeout: userTimeout)
        }
        let upgrader = self.webSockets.map { acceptor in
            WebSocketUpgrader(departure) { request throws(Problem) in
                let client = try admit(request)
                front.countDeparture(WebSocketAnswer.path, .switchingProtocols)
                return client
            } accept: { channel, client in
                try prepare(channel)
                try acceptor(channel, client)
            }
        }
        let opener = self.events.map { acceptor in
            EventStreamOpener(
                departure,
                limits: front.frameLimits,
                date: front.dateText,
                count: { front.countDeparture(EventsAPI.path, $0) },
                admit: admit
            ) { channel, stream in
                try prepare(channel)
                try acceptor(channel, stream)
            }
        }
        return (upgrader, opener)
    }
}

extension HTTPLimits {
    fileprivate var ofParser: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = self.field
        limits.maxHeaderListSize = self.fields
        limits.maxHeaderFieldCount = self.fieldCount
        return limits
    }
}
