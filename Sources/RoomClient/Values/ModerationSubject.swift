import RoomModel

/// Whom a ban or a mute is for.
public enum ModerationSubject: Sendable, Hashable {
    /// Who somebody is by its access token, on whatever connection: the token's `data` where it is a string or a number, else
    /// its `id`, `user_id` or `sub`.
    case user(String)
    /// One ``Member/id``. Who connects anew without resuming its session has another.
    case client(String)
    /// An IP address, or a network such as `10.0.0.0/8`.
    case address(String)
}

extension ModerationSubject {
    func checked() throws(RoomClientError) -> SanctionSubject {
        switch self {
        case .user(let user): return .user(user)
        case .client(let id): return .client(ClientID(id))
        case .address(let text):
            guard let range = AddressRange(text) else {
                throw RoomClientError(
                    .invalidField,
                    "\"\(text)\" is no IP address, and no network such as 10.0.0.0/8 without bits behind its prefix"
                )
            }
            return .address(range)
        }
    }
}
