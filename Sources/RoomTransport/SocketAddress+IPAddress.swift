package import NIOCore
package import RoomModel

extension SocketAddress {
    /// The address without its port; `nil` for a Unix socket.
    package var address: IPAddress? { self.ipAddress.flatMap { IPAddress($0) } }
}
