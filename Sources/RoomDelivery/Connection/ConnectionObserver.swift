package import RoomCore
package import RoomModel

/// Is told of the life of each connection, on its event loop: it must not block.
package protocol ConnectionObserver: Sendable {
    /// - Parameter address: the client's.
    func opened(_ connection: ConnectionRef, from address: IPAddress?)

    /// Its handshake was accepted, or it is a plain-text client.
    func welcomed(_ connection: ConnectionRef, as client: ClientID, in channel: ChannelID)

    /// Something has happened that ends it. Told once.
    func ended(_ connection: ConnectionRef, by reason: EndReason, _ text: String, as party: ConnectionParty)

    func closed(_ connection: ConnectionRef)
}

/// The party that a connection belongs to, as far as that is known.
package struct ConnectionParty: Sendable {
    /// The address of the peer, or of the client that a proxy speaks for.
    package var address: IPAddress?
    /// `nil`, as is `channel`, without a session.
    package var client: ClientID?
    package var channel: ChannelID?
}
