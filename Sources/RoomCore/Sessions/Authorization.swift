import RoomModel

/// The rights of a session, by the token that it has shown.
struct Authorization: Equatable, Sendable {
    enum State: Equatable, Sendable {
        /// The channel asks for no token, and none was shown.
        case unrestricted
        /// The channel requires a token. Can transition to: `granted`.
        case awaited
        /// Can transition to: `granted` (another token), `expired`.
        case granted(TokenGrant)
        /// Under `token_expiry` `live`: the token has had its time. Can transition to: `granted`.
        case expired
    }

    private(set) var state: State
    /// The token's answers so far.
    private var permissions: [RoomName: RoomPermission] = [:]

    /// A client can make no more than these wait to be forgotten.
    private static let remembered = 4_096

    init(_ state: State) {
        self.state = state
    }

    var grant: TokenGrant? {
        if case .granted(let grant) = self.state { grant } else { nil }
    }

    /// Why nothing but `authenticate` is answered now.
    var refusal: RequestError? {
        switch self.state {
        case .unrestricted, .granted: nil
        // the text is Scaledrone's (protocol §1)
        case .awaited: RequestError(.authenticationRequired, "Unauthorized")
        case .expired:
            RequestError(.tokenExpired, "the token of this connection has expired; authenticate with a new one")
        }
    }

    mutating func permission(for room: RoomName) -> RoomPermission {
        switch self.state {
        case .unrestricted: return .everything
        case .awaited, .expired: return .nothing
        case .granted: return self.permissions[room] ?? self.learnPermission(for: room)
        }
    }

    private mutating func learnPermission(for room: RoomName) -> RoomPermission {
        guard let grant = self.grant else { return .nothing }
        let permission = grant.permissions.permission(for: room)
        if self.permissions.count >= Self.remembered { self.permissions.removeAll(keepingCapacity: true) }
        self.permissions[room] = permission
        return permission
    }
}

extension RequestError {
    /// The token says nothing of this, or that it may not be.
    static func denied(_ verb: String, _ room: RoomName) -> RequestError {
        RequestError(
            .permissionDenied,
            "the token does not let this client \(verb) this room; show one whose \"permissions\" do",
            room: room
        )
    }
}

extension TokenGrant {
    /// Why this client cannot use the token.
    func refusal(of client: ClientID) -> RequestError? {
        guard let clientID, clientID != client.text else { return nil }
        return RequestError(
            .tokenInvalid,
            "the token's \"client\" claim names another client; sign one for this connection's client_id, or leave it out"
        )
    }
}
