/// How a client stands with its broker.
public enum ConnectionState: Sendable {
    /// Nothing has asked for a connection yet.
    case idle
    /// On the way: opening the connection, shaking hands, authenticating.
    case connecting
    /// Everything works.
    case connected(clientID: String)
    /// The last attempt failed, or the connection was lost; the next attempt follows after this pause.
    case waiting(retryIn: Duration, RoomClientError)
    /// The end: closed by the app (no error), or by an error that trying again would not mend.
    case closed(RoomClientError?)
}

extension ConnectionState {
    /// Whether this is ``connected(clientID:)``.
    public var isConnected: Bool {
        if case .connected = self { true } else { false }
    }
}
