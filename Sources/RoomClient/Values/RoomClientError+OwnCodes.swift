/// The words of this client's own.
extension RoomClientError.Code {
    /// No connection could be opened: nobody listens there, the name is unknown, TLS failed.
    public static let connectionFailed = Self(rawValue: "connection_failed")
    /// The connection ended before the answer came.
    public static let connectionLost = Self(rawValue: "connection_lost")
    /// There is no connection, and what was asked cannot wait for one.
    public static let notConnected = Self(rawValue: "not_connected")
    /// The client was closed, or the room was left.
    public static let closed = Self(rawValue: "closed")
    /// The task that asked was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// There was no answer in time. Of a publish the outcome is unknown.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The outbox is full, and the client is configured to fail then.
    public static let outboxFull = Self(rawValue: "outbox_full")
    /// A value could not be written as JSON.
    public static let encodingFailed = Self(rawValue: "encoding_failed")
    /// JSON could not be read as the type that was asked for.
    public static let decodingFailed = Self(rawValue: "decoding_failed")
    /// The URL of the broker is none that this client can connect to.
    public static let invalidURL = Self(rawValue: "invalid_url")
    /// The app's token provider threw.
    public static let tokenProviderFailed = Self(rawValue: "token_provider_failed")
    /// The other side does not speak Roomline's protocol.
    public static let protocolViolation = Self(rawValue: "protocol_violation")
    /// This client is in that room already: use the `Room` there is.
    public static let alreadyJoined = Self(rawValue: "already_joined")
}
