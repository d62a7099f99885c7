package import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections to the broker. Tests replace the network by another one.
protocol Connector: Sendable {
    /// - Parameter handler: made for the new channel, on its event loop.
    func connect(
        to address: BrokerAddress,
        on loop: any EventLoop,
        timeout: TimeAmount,
        handler: @escaping @Sendable () -> LinkHandler
    ) -> EventLoopFuture<any Channel>
}

/// TCP and TLS by SwiftNIO's sockets, for lines as for WebSockets. A name is resolved and its addresses tried as RFC 8305 (happy eyeballs) has it.
struct SocketConnector: Connector {
    private let tls: BrokerTLS?

    /// - Throws: ``RoomClientError/Code/connectionFailed`` when the certificates cannot be read.
    init(_ address: BrokerAddress, trustedCertificates: String?) throws(RoomClientError) {
        self.tls = try BrokerTLS(address, trustedCertificates: trustedCertificates)
    }

    func connect(
        to address: BrokerAddress,
        on loop: any EventLoop,
        timeout: TimeAmount,
        handler: @escaping @Sendable () -> LinkHandler
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try self.tls?.add(to: channel.pipeline.syncOperations)
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .connect(host: address.host, port: address.port)
    }
}

extension RoomClientError {
    /// The error of an attempt that opened no connection.
    init(connectingTo address: BrokerAddress, _ error: any Error) {
        let question = ErrorReason.isUnknownName(error) ? "is the name right?" : "is the broker running there?"
        let reason = ErrorReason.text(error)
        let text = "cannot connect to \(address.host) port \(address.port) (\(reason)): \(question)"
        self.init(.connectionFailed, text, cause: error)
    }

    /// The error of a connection that had been opened.
    ///
    /// - Parameters:
    ///   - wasReady: it had worked: a broker that is killed ends TLS without its goodbye, which is an error there.
    ///   - context: of the handler that was told.
    package init(connection error: any Error, wasReady: Bool, _ context: ChannelHandlerContext) {
        if !wasReady, let failure = TLSFailure(error, context) {
            self.init(.connectionFailed, "no encrypted connection: \(failure.reason)", cause: error)
        } else {
            let text = "the connection to the broker failed: \(ErrorReason.text(error))"
            self.init(.connectionLost, text, cause: error)
        }
    }
}
