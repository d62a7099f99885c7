#if canImport(Network)
import Foundation
import NIOCore
import Network
import Security

extension NWError: ReasonedError, TLSError {
    var reason: String {
        switch self {
        case .posix(let code): String(cString: strerror(code.rawValue))
        case .dns: "the name has no address"
        case .tls(let status): Self.failure(status).reason
        default: self.debugDescription
        }
    }

    var isUnknownName: Bool {
        if case .dns = self { true } else { false }
    }

    func failure(_ context: ChannelHandlerContext?) -> TLSFailure? {
        if case .tls(let status) = self { Self.failure(status) } else { nil }
    }

    private static func failure(_ status: OSStatus) -> TLSFailure {
        TLSFailure(status: status, words: SecCopyErrorMessageString(status, nil) as String?)
    }
}
#endif
