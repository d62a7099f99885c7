import Foundation
package import NIOCore
import NIOSSL

/// Why there is no encrypted connection, in words that say what to do.
package struct TLSFailure: Error, Equatable {
    /// Completes "the connection failed: ".
    package let reason: String

    /// The words in the errors of OpenSSL where the answer is no TLS. A broker answers the third on a port without TLS.
    private static let plainAnswers = ["WRONG_VERSION_NUMBER", "EOF during handshake", "ALERT_UNEXPECTED_MESSAGE"]

    /// - Parameters:
    ///   - error: of a connection that had not worked yet.
    ///   - context: of a handler behind that of TLS; it knows the certificate of the peer.
    /// - Returns: `nil` for an error that is not of TLS.
    package init?(_ error: any Error, _ context: ChannelHandlerContext) {
        // There is none where the handshake did not come that far.
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        let validity = certificate.map { certificate in
            Date(
                timeIntervalSince1970: Double(certificate.notValidBefore)
            )...Date(
                timeIntervalSince1970: Double(max(certificate.notValidAfter, certificate.notValidBefore))
            )
        }
        self.init(error, validity: validity, now: Date())
    }

    /// - Parameter validity: of the peer's certificate; `nil` where it has shown none.
    init?(_ error: any Error, validity: ClosedRange<Date>?, now: Date) {
        if error as? NIOSSLExtraError == .failedToValidateHostname {
            self.reason = "its certificate is for another name than the one in the URL"
            return
        }
        if error as? NIOSSLExtraError == .serverHostnameImpossibleToMatch {
            self.reason = "no certificate can have the name in the URL"
            return
        }
        guard case .handshakeFailed(let cause) = error as? NIOSSLError else { return nil }
        let text = String(describing: cause)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            self.reason = Self.distrust(validity, now: now)
        } else if Self.plainAnswers.contains(where: text.contains) {
            self.reason = "the port does not speak TLS"
        } else {
            self.reason = "TLS failed: \(ErrorReason.words(cause))"
        }
    }

    private static func distrust(_ validity: ClosedRange<Date>?, now: Date) -> String {
        if let validity, now > validity.upperBound {
            return "its certificate expired on \(validity.upperBound.formatted(.iso8601))"
        }
        if let validity, now < validity.lowerBound {
            return "its certificate is not valid before \(validity.lowerBound.formatted(.iso8601))"
        }
        return "nobody who is trusted has issued its certificate; name the certificate, or that of its authority"
    }
}
