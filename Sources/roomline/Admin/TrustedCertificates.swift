import NIOSSL

/// The certificates that a broker's own has to lead to, in place of those that the system trusts.
struct TrustedCertificates: Sendable {
    private let certificates: [NIOSSLCertificate]

    /// - Parameter file: of one or more certificates in PEM.
    init(file: String) throws(CommandFailure) {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else {
            throw CommandFailure(
                code: .usage,
                text: "--trust \(file) cannot be read, or has no certificate in PEM (-----BEGIN CERTIFICATE-----)"
            )
        }
        self.certificates = certificates
    }

    var tls: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(self.certificates)
        return configuration
    }
}
