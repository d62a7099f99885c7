#if canImport(Network)
import Dispatch
import Foundation
import Network
import Security

/// TLS towards a broker, by the system.
struct NetworkTLS: Sendable {
    /// In DER; `nil`: the certificates that the system trusts.
    private let anchors: [Data]?
    private let isWebSocket: Bool

    /// - Parameter trustedCertificates: a PEM file; `nil`: the certificates that the system trusts.
    /// - Returns: `nil` where the address is one without TLS.
    /// - Throws: ``RoomClientError/Code/connectionFailed`` when the certificates cannot be read.
    init?(_ address: BrokerAddress, trustedCertificates: String?) throws(RoomClientError) {
        guard address.usesTLS else { return nil }
        self.isWebSocket = address.webSocketPath != nil
        do {
            self.anchors = try trustedCertificates.map { try PEMCertificates(contentsOf: $0).certificates }
        } catch {
            throw RoomClientError(trustedCertificates: trustedCertificates, error)
        }
        guard let anchors, Self.certificates(anchors).count < anchors.count else { return }
        throw RoomClientError(trustedCertificates: trustedCertificates, PEMCertificates.NoCertificate())
    }

    func options() -> NWProtocolTLS.Options {
        let options = NWProtocolTLS.Options()
        // A proxy that also speaks HTTP/2 would pick that.
        if self.isWebSocket {
            sec_protocol_options_add_tls_application_protocol(options.securityProtocolOptions, "http/1.1")
        }
        if let anchors {
            sec_protocol_options_set_verify_block(
                options.securityProtocolOptions,
                { _, trust, complete in complete(Self.isTrusted(trust, by: anchors)) },
                Self.queue
            )
        }
        return options
    }

    private static let queue = DispatchQueue(label: "roomline.certificates")

    /// The policy of `trust` compares the name in the URL.
    private static func isTrusted(_ trust: sec_trust_t, by anchors: [Data]) -> Bool {
        let trust = sec_trust_copy_ref(trust).takeRetainedValue()
        SecTrustSetAnchorCertificates(trust, Self.certificates(anchors) as CFArray)
        return SecTrustEvaluateWithError(trust, nil)
    }

    private static func certificates(_ anchors: [Data]) -> [SecCertificate] {
        anchors.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
    }
}
#endif
