package import NIOCore
package import RoomModel

extension SocketAddress {
    /// The address without its port; `nil` for a Unix socket.
    package var address: IPAddress? {
        switch self {
        case .v4(let address):
            return IPAddress(v4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address):
            return withUnsafeBytes(of: address.address.sin6_addr) { bytes in
                IPAddress(
                    high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
        case .unixDomainSocket: return nil
        }
    }
}
