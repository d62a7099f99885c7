import NIOConcurrencyHelpers
import NIOSSL

/// The certificate that new connections are encrypted with. It can be replaced while the broker runs; connections that
/// there are keep the one that they began with.
final class TLSCertificate: Sendable {
    private let context: NIOLockedValueBox<NIOSSLContext>

    /// - Throws: `StartError` where the files are no certificate chain and key that fit together.
    init(_ files: TLSFiles) throws(StartError) {
        self.context = NIOLockedValueBox(try files.context())
    }

    var current: NIOSSLContext { self.context.withLockedValue(\.self) }

    /// - Throws: `StartError`; then nothing changes.
    func load(_ files: TLSFiles) throws(StartError) {
        let context = try files.context()
        self.context.withLockedValue { $0 = context }
    }
}
