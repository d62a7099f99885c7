#if canImport(Network)
import NIOCore
import NIOTransportServices
import Network

/// TCP and TLS by Apple's Network.framework, on its own event loops.
struct NetworkConnector: Connector {
    private let tls: NetworkTLS?

    /// - Throws: ``RoomClientError/Code/connectionFailed`` when the certificates cannot be read.
    init(_ address: BrokerAddress, trustedCertificates: String?) throws(RoomClientError) {
        self.tls = try NetworkTLS(address, trustedCertificates: trustedCertificates)
    }

    func connect(
        to address: BrokerAddress,
        on loop: any EventLoop,
        timeout: TimeAmount,
        handler: @escaping @Sendable () -> LinkHandler
    ) -> EventLoopFuture<any Channel> {
        let bootstrap = NIOTSConnectionBootstrap(group: loop)
            .connectTimeout(timeout)
            // An attempt without a network fails now, as one by a socket does: the client knows when to try again.
            .channelOption(NIOTSChannelOptions.waitForActivity, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
        let encrypted = self.tls.map { bootstrap.tlsOptions($0.options()) } ?? bootstrap
        return encrypted.connect(host: address.host, port: address.port)
    }
}
#endif
