import NIOCore
import NIOPosix

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
