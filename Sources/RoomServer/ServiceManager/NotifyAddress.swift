#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The Unix socket of a service manager: a path, or a name of Linux's abstract namespace, which is written with `@`.
struct NotifyAddress: Sendable {
    private let bytes: [UInt8]

    /// `nil` where `text` is neither, or is too long for an address.
    init?(_ text: String) {
        guard text.hasPrefix("/") || text.hasPrefix("@"), text.utf8.count > 1 else { return nil }
        var bytes = Array(text.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        // A path needs room for the zero behind it.
        guard bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        self.bytes = bytes
    }

    /// Sends one datagram.
    func send(_ text: String) throws(NotifyError) {
        let descriptor = socket(AF_UNIX, Self.datagrams, 0)
        guard descriptor >= 0 else { throw NotifyError(number: errno) }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: self.bytes) }
        let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        // The length counts for an abstract name, which may contain zeros.
        let length = socklen_t(pathOffset + self.bytes.count)
        let payload = Array(text.utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, payload, payload.count, 0, $0, length)
            }
        }
        guard sent == payload.count else { throw NotifyError(number: errno) }
    }

    #if canImport(Glibc)
    private static let datagrams = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
    private static let datagrams = SOCK_DGRAM
    #endif
}

/// Why the service manager could not be told.
struct NotifyError: Error, Equatable, CustomStringConvertible {
    /// The system's error number.
    let number: Int32

    var description: String { String(cString: strerror(self.number)) }
}
