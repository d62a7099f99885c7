package import RoomModel

/// The peer that asked for a WebSocket or an event stream.
package struct StreamPeer: Equatable, Sendable {
    /// The address, that of the client itself where a trusted proxy names it.
    package let address: IPAddress?
    /// `Origin`: the page that asks, if a browser does.
    package let origin: String?
    /// `Host`: the name that the broker was called by.
    package let host: String?
    package let isTLS: Bool
}
