package import RoomModel

/// The person that bans and mutes are looked up for.
package struct SanctionedPerson: Equatable, Sendable {
    package var user: String?
    /// `nil` for who publishes without a connection.
    package var client: ClientID?
    package var address: IPAddress?

    package init(user: String?, client: ClientID?, address: IPAddress?) {
        self.user = user
        self.client = client
        self.address = address
    }
}
