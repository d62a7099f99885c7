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
    private var permissions = RecentValues<RoomName, RoomPermission>(capacity: Self.remembered)
    /// The cost of answers that nobody has been charged for, in units of about a microsecond.
    private var unpaid = 0

    /// At least as many as one frame may name.
    private static let remembered = 1_024

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
        case .granted: return self.permissions.find(room) ?? self.learnPermission(for: room)
        }
    }

    mutating func takeWork() -> Int {
        defer { self.unpaid = 0 }
        return self.unpaid
    }

    private mutating func learnPermission(for room: RoomName) -> RoomPermission {
        guard let grant = self.grant else { return .nothing }
        let answer = grant.permissions.evaluate(room)
        self.unpaid += answer.work
        self.permissions.keep(answer.permission, for: room)
        return answer.permission
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
