import NIOCore
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
    private let tls: NIOSSLContext?

    /// - Throws: ``RoomClientError/Code/connectionFailed`` when the certificates cannot be read.
    init(_ address: BrokerAddress, trustedCertificates: String?) throws(RoomClientError) {
        guard address.usesTLS else {
            self.tls = nil
            return
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let file = trustedCertificates { configuration.trustRoots = .file(file) }
        // A proxy that also speaks HTTP/2 would pick that.
        if address.webSocketPath != nil { configuration.applicationProtocols = ["http/1.1"] }
        do {
            self.tls = try NIOSSLContext(configuration: configuration)
        } catch {
            let file = trustedCertificates.map { " from \($0)" } ?? ""
            throw RoomClientError(
                .connectionFailed,
                "the trusted certificates\(file) cannot be read",
                cause: error,
                isRetryable: false
            )
        }
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
                    if let tls = self.tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: Self.serverName(address.host))
                        )
                    }
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .connect(host: address.host, port: address.port)
    }

    /// RFC 6066 §3 allows no literal addresses in the server name indication.
    private static func serverName(_ host: String) -> String? {
        (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }
}

extension RoomClientError {
    /// The error of a connection that had been opened.
    ///
    /// - Parameter wasReady: it had worked: a broker that is killed ends TLS without its goodbye, which is an error there.
    package init(connection error: any Error, wasReady: Bool) {
        if !wasReady, error is NIOSSLError || error is BoringSSLError {
            self.init(
                .connectionFailed,
                "no encrypted connection: the certificate is not trusted or is for another name, or the broker does not use TLS there",
                cause: error
            )
        } else {
            self.init(.connectionLost, "the connection to the broker failed", cause: error)
        }
    }
}
