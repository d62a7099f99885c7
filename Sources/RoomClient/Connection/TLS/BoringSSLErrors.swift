#if TLS || Server
import Foundation
import NIOCore
import NIOSSL

extension NIOSSLError: ReasonedError, TLSError {
    var reason: String {
        switch self {
        case .handshakeFailed(let cause), .shutdownFailed(let cause): ErrorReason.words(cause)
        case .uncleanShutdown: "the connection was cut"
        case .failedToLoadCertificate: PEMCertificates.NoCertificate().errorDescription ?? ""
        case .noSuchFilesystemObject: "there is no such file"
        default: String(describing: self)
        }
    }

    var isUnknownName: Bool { false }

    func failure(_ context: ChannelHandlerContext?) -> TLSFailure? {
        // There is none where the handshake did not come that far.
        let certificate = try? context?.pipeline.syncOperations.nioSSL_peerCertificate()
        let validity = certificate.map { certificate in
            Date(
                timeIntervalSince1970: Double(certificate.notValidBefore)
            )...Date(
                timeIntervalSince1970: Double(max(certificate.notValidAfter, certificate.notValidBefore))
            )
        }
        return TLSFailure(self, validity: validity, now: Date())
    }
}

extension BoringSSLError: ReasonedError {
    /// A file of certificates without one fails with this error, and not with one of NIOSSL.
    var reason: String {
        String(describing: self).contains("NO_CERTIFICATE_OR_CRL_FOUND")
            ? PEMCertificates.NoCertificate().errorDescription ?? "" : ErrorReason.words(self)
    }

    var isUnknownName: Bool { false }
}

extension NIOSSLExtraError: TLSError {
    func failure(_ context: ChannelHandlerContext?) -> TLSFailure? {
        switch self {
        case .failedToValidateHostname: .certified(for: Self.names(context))
        case .serverHostnameImpossibleToMatch: TLSFailure(reason: "no certificate can have the name in the URL")
        default: nil
        }
    }

    /// The DNS names and addresses in the certificate of the peer.
    private static func names(_ context: ChannelHandlerContext?) -> [String] {
        // There is none where the handshake did not come that far.
        guard let certificate = try? context?.pipeline.syncOperations.nioSSL_peerCertificate() else { return [] }
        return certificate._subjectAlternativeNames().compactMap { name in
            switch name.nameType {
            case .dnsName: String(decoding: name.contents, as: UTF8.self)
            case .ipAddress: try? SocketAddress(packedIPAddress: ByteBuffer(bytes: name.contents), port: 0).ipAddress
            default: nil
            }
        }
    }
}

extension TLSFailure {
    /// The words in the errors of OpenSSL where the answer is not TLS. A broker answers the third on a port without TLS.
    private static let plainAnswers = ["WRONG_VERSION_NUMBER", "EOF during handshake", "ALERT_UNEXPECTED_MESSAGE"]

    /// - Parameter validity: of the peer's certificate; `nil` where it has shown none.
    init?(_ error: NIOSSLError, validity: ClosedRange<Date>?, now: Date) {
        guard case .handshakeFailed(let cause) = error else { return nil }
        let text = String(describing: cause)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            self = Self.distrust(validity, now: now)
        } else if Self.plainAnswers.contains(where: text.contains) {
            self.init(reason: "the port does not speak TLS")
        } else {
            self.init(reason: "TLS failed: \(ErrorReason.words(cause))")
        }
    }

    private static func distrust(_ validity: ClosedRange<Date>?, now: Date) -> TLSFailure {
        if let validity, now > validity.upperBound {
            return TLSFailure(reason: "its certificate expired on \(validity.upperBound.formatted(.iso8601))")
        }
        if let validity, now < validity.lowerBound {
            return TLSFailure(reason: "its certificate is not valid before \(validity.lowerBound.formatted(.iso8601))")
        }
        return .distrusted
    }
}

extension ErrorReason {
    static func words(_ error: BoringSSLError) -> String { self.words(in: String(describing: error)) }
}
#endif
