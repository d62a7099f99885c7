/// Whom a ban or a mute is for. Never told by `client_data`, which a member can change.
package enum SanctionSubject: Hashable, Sendable {
    /// Who the member is by its token (`UserIdentity`), on whatever connection.
    case user(String)
    /// One `client_id`: a member that connects anew without resuming has another.
    case client(ClientID)
    case address(AddressRange)

    /// The most bytes that a user's identity can have here.
    package static let longestUser = 200
}
