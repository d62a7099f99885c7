import NIOCore
import NIOSSL
import RoomDelivery
import RoomModel

extension Connection {
    /// An error has come up the pipeline, which ends the connection.
    func failed(_ error: any Error) {
        if let fault = TLSReason.fault(error) { return self.ends(by: .tlsFailed, fault) }
        switch error {
        case let error as IOError: self.failed(errorNumber: error.errnoCode)
        case NIOSSLError.uncleanShutdown: self.ends(by: .connectionReset)
        default: self.ends(by: .code(.internal), "\(error)")
        }
    }
}
