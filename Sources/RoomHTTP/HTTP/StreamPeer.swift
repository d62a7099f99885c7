package import RoomDelivery
package import RoomModel

/// The peer that asked for a WebSocket or an event stream.
package struct StreamPeer: Sendable {
    /// The address, that of the client itself where a trusted proxy names it.
    package let address: IPAddress?
    /// The page that asks, if a browser does.
    package let page: WebPage?
    package let isTLS: Bool
}
