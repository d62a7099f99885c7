package import RoomModel

/// Whose message it is, as slow-mode counts them.
package enum Author: Hashable, Sendable {
    /// By its token, on however many connections.
    case user(String)
    case client(ClientID)
    /// Who publishes without a connection; `nil`: from this machine.
    case address(IPAddress?)

    package init(_ person: SanctionedPerson) {
        if let user = person.user {
            self = .user(user)
        } else if let client = person.client {
            self = .client(client)
        } else {
            self = .address(person.address)
        }
    }
}
