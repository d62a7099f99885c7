package import NIOCore

/// The error of a library, in our words.
protocol ReasonedError: Error {
    var reason: String { get }
    /// Whether the name of the host is why there is no connection.
    var isUnknownName: Bool { get }
}

/// The error of a library that may be one of TLS.
protocol TLSError: Error {
    /// - Parameter context: of a handler behind that of TLS, where there is one.
    /// - Returns: `nil` for an error that is not of TLS.
    func failure(_ context: ChannelHandlerContext?) -> TLSFailure?
}

/// Why there is no encrypted connection, in words that say what to do.
package struct TLSFailure: Error, Equatable {
    /// Completes "the connection failed: ".
    package let reason: String

    init(reason: String) {
        self.reason = reason
    }

    /// - Parameters:
    ///   - error: of a connection that had not worked yet.
    ///   - context: of a handler behind that of TLS; it knows the certificate of the peer.
    /// - Returns: `nil` for an error that is not of TLS.
    package init?(_ error: any Error, _ context: ChannelHandlerContext?) {
        guard let failure = (error as? any TLSError)?.failure(context) else { return nil }
        self = failure
    }

    static let anotherName = TLSFailure(reason: "its certificate is for another name than the one in the URL")

    /// - Parameter names: that the certificate has, as texts that a peer has written.
    static func certified(for names: [String]) -> TLSFailure {
        let plain = names.filter { $0.utf8.count <= 253 && $0.utf8.allSatisfy { 0x21..<0x7f ~= $0 } }
        guard !plain.isEmpty else { return .anotherName }
        let more = plain.count > Self.mostNames ? ", …" : ""
        let shown = plain.prefix(Self.mostNames).joined(separator: ", ") + more
        return TLSFailure(reason: "its certificate is for \(shown), and not for the name in the URL")
    }

    private static let mostNames = 3
    /// The certificates that are trusted have to be others.
    package static let distrusted = TLSFailure(
        reason: "nobody who is trusted has issued its certificate; name the certificate, or that of its authority"
    )

    /// The failure that Apple's Security framework names with a status.
    ///
    /// - Parameter words: the system's words for the status.
    init(status: Int32, words: String?) {
        switch status {
        case -9_807, -9_808, -9_812, -9_813:  // errSSLXCertChainInvalid, …BadCert, …UnknownRootCert, …NoRootCert
            self = .distrusted
        case -9_814: self.init(reason: "its certificate has expired")  // errSSLCertExpired
        case -9_815: self.init(reason: "its certificate is not valid yet")  // errSSLCertNotYetValid
        case -9_843: self = .anotherName  // errSSLHostNameMismatch
        default: self.init(reason: "TLS failed: \(words ?? "the system's status is \(status)")")
        }
    }
}
