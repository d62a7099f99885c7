package import NIOCore
package import RoomModel

/// Who asked for a WebSocket.
package struct WebSocketPeer: Equatable, Sendable {
    /// The address, that of the client itself where a trusted proxy names it.
    package let address: IPAddress?
    /// `Origin`: the page that asks, if a browser does.
    package let origin: String?
    /// `Host`: the name that the broker was called by.
    package let host: String?
    package let isTLS: Bool
}

/// Takes a connection over once its upgrade is answered; called on its event loop. The pipeline is bare, except for TLS.
/// The handlers that are added get what the client has sent behind its request.
package typealias WebSocketAcceptor = @Sendable (any Channel, WebSocketPeer) throws -> Void
