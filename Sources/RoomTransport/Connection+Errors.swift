import NIOCore
import NIOSSL
import RoomDelivery
import RoomModel

extension Connection {
    /// An error has come up the pipeline, which ends the connection.
    func failed(_ error: any Error) {
        switch error {
        case let error as IOError: self.failed(errorNumber: error.errnoCode)
        case NIOSSLError.uncleanShutdown: self.ends(by: .connectionReset)
        case is NIOSSLError, is BoringSSLError:
            self.ends(by: .tlsFailed, "TLS failed: \(TLSReason.text(error))")
        default: self.ends(by: .code(.internal), "\(error)")
        }
    }
}
