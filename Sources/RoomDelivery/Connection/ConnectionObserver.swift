package import RoomCore
package import RoomModel

/// Is told of the life of each connection, on its event loop: it must not block.
package protocol ConnectionObserver: Sendable {
    /// - Parameter address: the client's.
    func opened(_ connection: ConnectionRef, from address: IPAddress?)

    /// Its handshake was accepted, or it is a plain-text client.
    func welcomed(_ connection: ConnectionRef, as client: ClientID, in channel: ChannelID)

    /// The broker ends it.
    func saidGoodbye(_ connection: ConnectionRef, _ code: Code, reason: String)

    func closed(_ connection: ConnectionRef)
}
