#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Hands bytes to a connection's kernel buffer at once, past the channel's pipeline. A test puts one in its place that
/// takes random byte counts.
package protocol DirectWriter {
    /// - Returns: how many bytes were taken; 0 where none can be now. Where the connection is broken, the number of the error,
    ///   negated.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int
}

/// Writes to a plain TCP socket. Only valid while its channel is active: NIO closes the descriptor.
package struct SocketWriter: DirectWriter {
    private let descriptor: CInt

    package init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Whether the peer takes nothing now: its window is closed, or its system does not answer. Then the kernel waits ever longer
    /// between two tries (`tcpi_backoff` of tcp(7)). Linux only.
    var isStalled: Bool {
        #if os(Linux)
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(self.descriptor, CInt(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return false }
        return info.tcpi_backoff > 0
        #else
        return false
        #endif
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            #if canImport(Darwin)
            let flags = MSG_DONTWAIT
            #else
            let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
            #endif
            let count = send(self.descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK, ENOBUFS: return 0
            case let error: return -Int(error)
            }
        }
    }
}
