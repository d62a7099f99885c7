package import NIOCore
package import NIOPosix
package import NIOSSL
package import RoomCore
package import RoomDelivery
import RoomModel

/// Listens for TCP connections and gives each to the shard of its event loop.
package struct TCPListener: Sendable {
    package struct Options: Sendable {
        package var backlog = 4_096
        /// How long sent bytes may stay unacknowledged before the kernel gives a connection up.
        package var userTimeout = TimeAmount.seconds(30)
        /// The TLS context of a new connection; `nil`: no TLS.
        package var tls: (@Sendable () -> NIOSSLContext)?
        /// `nil`: clients connect themselves, or by way of proxies that do not name the client.
        package var proxy: ProxyRule?

        package init() {}
    }

    private let shards: [ShardRef]
    private let settings: ConnectionSettings
    private let gate: ConnectionGate
    private let accepts: AcceptLimit
    private let options: Options

    package init(
        shards: [ShardRef],
        settings: ConnectionSettings,
        gate: ConnectionGate,
        accepts: AcceptLimit,
        options: Options
    ) {
        self.shards = shards
        self.settings = settings
        self.gate = gate
        self.accepts = accepts
        self.options = options
    }

    /// Binds and starts to accept.
    ///
    /// - Parameter group: the event loops of the shards.
    /// - Throws: what the system says where the address cannot be bound.
    package func listen(host: String, port: Int, group: MultiThreadedEventLoopGroup) async throws -> any Channel {
        let inherited = InheritedTCPOptions.all(userTimeout: self.options.userTimeout)
        return try await inherited.reduce(ServerBootstrap(group: group)) {
            $0.serverChannelOption($1.option, value: $1.value)
        }
        .serverChannelOption(.backlog, value: Int32(clamping: self.options.backlog))
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelInitializer { [accepts, most = self.gate.limits.files(for: .rooms)] channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AcceptPauser(accepts, most: most))
            }
        }
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try self.initialize(channel) }
        }
        .bind(host: host, port: port).get()
    }

    private func initialize(_ channel: any Channel) throws {
        guard let shard = self.shards.first(where: { $0.eventLoop === channel.eventLoop }) else {
            throw ChannelError.ioOnClosedChannel
        }
        if let options = channel.syncOptions { try self.setOptions(options) }
        guard let rule = self.options.proxy else {
            try self.addHandlers(to: channel.pipeline.syncOperations, shard.onLoop, proxied: nil)
            return
        }
        let handler = ProxyHeaderHandler(rule: rule, headerTime: self.settings.handshakeTime) { address in
            try self.addHandlers(to: channel.pipeline.syncOperations, shard.onLoop, proxied: address)
        }
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    private func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations,
        _ shard: RoomShard,
        proxied: IPAddress?
    ) throws {
        if let tls = self.options.tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls())) }
        let isPlain = self.options.tls == nil
        var settings = self.settings
        // text before the client's TLS hello would be no TLS
        if !isPlain { settings.textRoom?.listeningAfter = nil }
        settings.awaitsTLS = !isPlain
        let handler = ConnectionHandler(
            shard: shard,
            settings: settings,
            gate: self.gate,
            proxied: proxied
        ) { context in
            isPlain ? SocketWriter.past(context) : nil
        }
        try pipeline.addHandler(handler)
    }

    /// At once, where the bootstrap would chain a future for each.
    private func setOptions(_ channel: any NIOSynchronousChannelOptions) throws {
        try channel.setOption(.allowRemoteHalfClosure, value: true)
        try channel.setOption(.maxMessagesPerRead, value: 1)
        // NIO keeps the last read's buffer for each connection: small while there is little to read
        try channel.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536)
        )
    }
}
