package import NIOCore
import NIOSSL

/// TLS towards a broker: one context for all connections to it.
package struct BrokerTLS: Sendable {
    private let context: NIOSSLContext
    /// RFC 6066 §3 allows no literal addresses in the server name indication.
    private let serverName: String?

    /// - Parameter trustedCertificates: a PEM file; `nil`: the certificates that the system trusts.
    /// - Returns: `nil` where the address is one without TLS.
    /// - Throws: ``RoomClientError/Code/connectionFailed`` when the certificates cannot be read.
    package init?(_ address: BrokerAddress, trustedCertificates: String?) throws(RoomClientError) {
        guard address.usesTLS else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let file = trustedCertificates { configuration.trustRoots = .file(file) }
        // A proxy that also speaks HTTP/2 would pick that.
        if address.webSocketPath != nil { configuration.applicationProtocols = ["http/1.1"] }
        do {
            self.context = try NIOSSLContext(configuration: configuration)
        } catch {
            let file = trustedCertificates.map { " from \($0)" } ?? ""
            throw RoomClientError(
                .connectionFailed,
                "the trusted certificates\(file) cannot be read: \(ErrorReason.text(error))",
                cause: error,
                isRetryable: false
            )
        }
        self.serverName = (try? SocketAddress(ipAddress: address.host, port: 0)) == nil ? address.host : nil
    }

    /// Has a new channel speak TLS.
    package func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(NIOSSLClientHandler(context: self.context, serverHostname: self.serverName))
    }
}
