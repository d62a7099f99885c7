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
