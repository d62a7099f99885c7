package import NIOCore

/// Takes a connection over once its upgrade is answered; called on its event loop. The pipeline is bare, except for TLS.
/// The handlers that are added get what the client has sent behind its request.
package typealias WebSocketAcceptor = @Sendable (any Channel, StreamPeer) throws -> Void
