package import NIOCore

#if TLS || Server
import NIOSSL

/// TLS towards a broker by BoringSSL: one context for all connections to it.
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
            throw RoomClientError(trustedCertificates: trustedCertificates, error)
        }
        self.serverName = (try? SocketAddress(ipAddress: address.host, port: 0)) == nil ? address.host : nil
    }

    /// Has a new channel speak TLS.
    package func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(NIOSSLClientHandler(context: self.context, serverHostname: self.serverName))
    }
}
#else
/// TLS in an app that was built without it: the client refuses the addresses that need it.
package struct BrokerTLS: Sendable {
    /// - Returns: `nil`: the address is one without TLS.
    /// - Throws: ``RoomClientError/Code/connectionFailed`` for every other address.
    package init?(_ address: BrokerAddress, trustedCertificates: String?) throws(RoomClientError) {
        guard address.usesTLS else { return nil }
        throw RoomClientError(
            .connectionFailed,
            "this app was built without TLS, which the URL needs: add the trait \"TLS\" to the dependency on roomline, as in .package(…, traits: [\"TLS\"])",
            isRetryable: false
        )
    }

    package func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {}
}
#endif

extension RoomClientError {
    init(trustedCertificates file: String?, _ error: any Error) {
        let file = file.map { " from \($0)" } ?? ""
        let text = "the trusted certificates\(file) cannot be read: \(ErrorReason.text(error))"
        self.init(.connectionFailed, text, cause: error, isRetryable: false)
    }
}
