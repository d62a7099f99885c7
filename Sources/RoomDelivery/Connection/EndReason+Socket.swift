import NIOCore
import RoomModel

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The reason of an end, from the error of the socket.
extension EndReason {
    /// - Parameter channel: the system is asked about its socket, as long as it is open.
    init(errorNumber: CInt, of channel: any Channel) {
        switch errorNumber {
        // Linux tells an ICMP error that came meanwhile in the place of ETIMEDOUT
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN:
            self = channel.isStillAcknowledged ? .code(.slowConsumer) : .connectionTimedOut
        default: self = .connectionReset
        }
    }
}

extension Channel {
    /// As `SocketWriter.isStalled`.
    var isStalled: Bool {
        #if os(Linux)
        guard let socket = self as? any SocketOptionProvider else { return false }
        var backoff: UInt8 = 0
        socket.getTCPInfo().assumeIsolated().whenSuccess { backoff = $0.tcpi_backoff }
        return backoff > 0
        #else
        return false
        #endif
    }

    /// Whether the peer's system has answered lately. TCP_USER_TIMEOUT ends both: the connection of a client that does not
    /// read, whose system acknowledges each probe of its closed window, and that of a system which is silent.
    fileprivate var isStillAcknowledged: Bool {
        #if os(Linux)
        guard let socket = self as? any SocketOptionProvider,
            let timeout = try? self.syncOptions?.getOption(.tcpUserTimeout)
        else { return false }
        var silence: UInt32?
        socket.getTCPInfo().assumeIsolated().whenSuccess { silence = $0.tcpi_last_ack_recv }
        return silence.map { Self.isShort(silence: $0, timeout: timeout) } ?? false
        #else
        return false
        #endif
    }

    #if os(Linux)
    /// Probes come at doubled intervals, so that the last of them was at most half of the time ago, and a little.
    private static func isShort(silence: UInt32, timeout: SocketOptionValue) -> Bool {
        UInt64(silence) * 4 < UInt64(clamping: timeout) * 3
    }
    #endif
}
