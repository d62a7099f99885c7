package import RoomModel

/// The author of a message, as slow-mode counts authors.
package enum Author: Hashable, Sendable {
    /// By its token, on however many connections.
    case user(String)
    /// Without a user, from another machine: another connection makes nobody another author. An IPv6 address stands for
    /// its /64.
    case network(IPAddress)
    /// Without a user, from this machine, where everybody may come from who comes by way of a proxy.
    case client(ClientID)
    /// The same, without a connection.
    case local

    package init(_ person: SanctionedPerson) {
        if let user = person.user {
            self = .user(user)
        } else if let address = person.address, !address.isLoopback {
            self = .network(address.network)
        } else {
            self = person.client.map { .client($0) } ?? .local
        }
    }
}
