import RoomModel

/// Whom a ban or a mute is for, as the command line names them.
enum NamedSubject: Equatable, Sendable {
    /// Who the member is by its token.
    case user(String)
    /// One client id.
    case client(String)
    case address(AddressRange)

    /// As the admin API takes it, in a body and in a query.
    var field: (name: String, value: String) {
        switch self {
        case .user(let user): ("user", user)
        case .client(let id): ("client_id", id)
        case .address(let range): ("address", "\(range)")
        }
    }

    /// For people: `the user luke`
    var words: String {
        switch self {
        case .user(let user): "the user \(user)"
        case .client(let id): "the client \(id)"
        case .address(let range): "the address \(range)"
        }
    }

    /// Whether a member that is there now is meant.
    func matches(_ member: AdminMember) -> Bool {
        switch self {
        case .user(let user): member.user == user
        case .client(let id): member.id == id
        case .address(let range):
            (member.connection?.address).flatMap { IPAddress($0) }.map { range.contains($0) } ?? false
        }
    }
}
