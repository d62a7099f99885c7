import NIOSSL

/// Why there is no TLS with a client, or none with some files, in words for the log: the texts of SwiftNIO and BoringSSL are
/// dumps for programmers.
package enum TLSReason {
    /// What BoringSSL calls the most frequent reasons, and what they mean on this side.
    private static let known = [
        "SSLV3_ALERT_CERTIFICATE_EXPIRED": "the client says that the certificate has expired",
        "TLSV1_ALERT_UNKNOWN_CA": "the client does not trust the issuer of the certificate",
        "SSLV3_ALERT_BAD_CERTIFICATE": "the client refuses the certificate",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "the client refuses the certificate",
        "HTTP_REQUEST": "the client speaks HTTP without TLS",
        "WRONG_VERSION_NUMBER": "the client does not speak TLS",
        "UNSUPPORTED_PROTOCOL": "the client speaks only versions of TLS that are too old",
        "NO_SHARED_CIPHER": "the client has no cipher in common with the broker",
    ]

    /// What went wrong with a client's TLS; `nil` for an error that is none of TLS, or only an end without a close of TLS.
    package static func fault(_ error: any Error) -> String? {
        if case NIOSSLError.uncleanShutdown = error { return nil }
        return error is NIOSSLError || error is BoringSSLError ? "TLS failed: \(self.text(error))" : nil
    }

    package static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOSSLError: Self.text(error)
        default: Self.words(in: String(describing: error))
        }
    }

    private static func text(_ error: NIOSSLError) -> String {
        switch error {
        case .handshakeFailed(let cause), .shutdownFailed(let cause): Self.words(in: String(describing: cause))
        case .failedToLoadCertificate: "there is no certificate in PEM form"
        case .failedToLoadPrivateKey: "the private key is not in PEM form, or not that of the certificate"
        case .noSuchFilesystemObject: "there is no such file"
        default: Self.words(in: String(describing: error))
        }
    }

    /// The reason within a dump such as `[Error: … error:1000042e:SSL routines:OPENSSL_internal:BAD_SIGNATURE at …]`.
    static func words(in text: String) -> String {
        guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return text }
        let name = String(text[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        return self.known[name] ?? name.lowercased().replacing("_", with: " ")
    }
}
