/// Where a client's access token comes from.
enum TokenSource: Sendable {
    case none
    /// One that the app has given: shown in the handshake.
    case fixed(String)
    /// Asked anew for each connection once that has its client id, and when a token has expired.
    case provider(RoomClient.TokenProvider)

    init(_ provider: RoomClient.TokenProvider?) {
        self = provider.map { .provider($0) } ?? .none
    }

    /// What can be shown in a handshake.
    var known: String? {
        if case .fixed(let token) = self { token } else { nil }
    }

    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Whether the next answer may be another token than the last.
    var canRenew: Bool {
        if case .provider = self { true } else { false }
    }
}
