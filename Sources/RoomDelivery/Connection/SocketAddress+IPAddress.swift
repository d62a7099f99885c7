package import NIOCore
package import RoomModel

extension SocketAddress {
    /// The address without its port and zone; `nil` for a Unix socket.
    package var address: IPAddress? {
        switch self {
        // where `sin_addr` is in a `sockaddr_in` (ip(7)), and `sin6_addr` in a `sockaddr_in6` (ipv6(7))
        case .v4(let socket): withUnsafeBytes(of: socket.address) { IPAddress(v4: $0.bigEndian(at: 4)) }
        case .v6(let socket):
            withUnsafeBytes(of: socket.address) { IPAddress(high: $0.bigEndian(at: 8), low: $0.bigEndian(at: 16)) }
        case .unixDomainSocket: nil
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
        Value(bigEndian: self.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
