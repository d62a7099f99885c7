/// Where a client's access token comes from.
enum TokenSource: Sendable {
    case none
    /// One that the app has given.
    case fixed(String)
    /// Asked anew for each connection, and when a token has expired.
    case provider(RoomClient.TokenProvider)

    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Whether the next answer may be another token than the last.
    var canRenew: Bool {
        if case .provider = self { true } else { false }
    }
}
