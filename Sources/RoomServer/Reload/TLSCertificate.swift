import NIOConcurrencyHelpers
import NIOSSL
import RoomCore

/// The certificate that new connections are encrypted with. It can be replaced while the broker runs; connections that
/// there are keep the one that they began with.
final class TLSCertificate: Sendable {
    private let loaded: NIOLockedValueBox<LoadedCertificate>

    /// - Throws: `StartError` where the files are no certificate chain and key that fit together.
    init(_ files: TLSFiles) throws(StartError) {
        self.loaded = NIOLockedValueBox(try files.load())
    }

    var current: NIOSSLContext { self.loaded.withLockedValue(\.context) }

    /// Of the certificate that is in use, whatever the files are by now.
    var term: CertificateTerm { self.loaded.withLockedValue(\.term) }

    /// - Returns: whether it is another one than before.
    /// - Throws: `StartError`; then nothing changes.
    func load(_ files: TLSFiles) throws(StartError) -> Bool {
        let new = try files.load()
        return self.loaded.withLockedValue { loaded in
            guard loaded.chain != new.chain || loaded.key != new.key else { return false }
            loaded = new
            return true
        }
    }
}

/// A certificate chain with its key, ready for use.
struct LoadedCertificate: Sendable {
    let context: NIOSSLContext
    let term: CertificateTerm
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
}
