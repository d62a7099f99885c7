import RoomModel

/// The words of the broker, from the protocol's table of codes.
extension RoomClientError.Code {
    /// The broker has no such channel.
    public static let unknownChannel = Self(.unknownChannel)
    /// The name of the room is empty, too long, or contains control characters.
    public static let roomNameInvalid = Self(.roomNameInvalid)
    /// The room has no presence, because its name does not begin with `observable-`.
    public static let notObservable = Self(.notObservable)
    /// The channel stores no messages.
    public static let historyOff = Self(.historyOff)
    /// This client is not in the room.
    public static let notSubscribed = Self(.notSubscribed)
    /// The connection, or the channel, has reached its maximum number of rooms.
    public static let tooManyRooms = Self(.tooManyRooms)
    /// The channel stores as many rooms as it may: nothing can be published into one that is new.
    public static let tooManyStoredRooms = Self(.tooManyStoredRooms)
    /// The room has reached its maximum number of members.
    public static let tooManyMembers = Self(.tooManyMembers)
    /// The channel, or the address of this client, has reached its maximum number of connections.
    public static let tooManyConnections = Self(.tooManyConnections)

    /// The channel requires an access token.
    public static let authenticationRequired = Self(.authenticationRequired)
    /// The token is not valid for this channel, or is for another client.
    public static let tokenInvalid = Self(.tokenInvalid)
    /// The token has expired.
    public static let tokenExpired = Self(.tokenExpired)
    /// The token does not allow the request, or does not allow the room any more.
    public static let permissionDenied = Self(.permissionDenied)
    /// A moderator or an administrator has banned this client.
    public static let banned = Self(.banned)
    /// A moderator has removed this client.
    public static let kicked = Self(.kicked)
    /// This client is muted: it can read and cannot publish.
    public static let muted = Self(.muted)
    /// The room is locked: only moderators can publish.
    public static let roomLocked = Self(.roomLocked)
    /// The room has no such message, or has deleted it.
    public static let messageNotFound = Self(.messageNotFound)
    /// The room or the channel has no such member.
    public static let memberNotFound = Self(.memberNotFound)
    /// There is no such ban or mute.
    public static let sanctionNotFound = Self(.sanctionNotFound)
    /// The channel has reached its maximum number of bans and mutes, or of rooms with rules.
    public static let tooManySanctions = Self(.tooManySanctions)
    /// This client sends too many requests; see ``RoomClientError/retryAfter``.
    public static let rateLimited = Self(.rateLimited)

    /// The message is larger than the broker allows.
    public static let messageTooLarge = Self(.messageTooLarge)
    /// Another message was published with the same id. This client creates random ids, so it does not cause this error.
    public static let messageIDConflict = Self(.messageIDConflict)
    /// The broker could not store the message.
    public static let storageUnavailable = Self(.storageUnavailable)

    /// This client has read too slowly from the connection.
    public static let slowConsumer = Self(.slowConsumer)
    /// The broker has received nothing from this client for too long.
    public static let heartbeatTimeout = Self(.heartbeatTimeout)
    /// Another connection has resumed this session.
    public static let replaced = Self(.replaced)
    /// The broker is shutting down.
    public static let shuttingDown = Self(.shuttingDown)
    /// An error inside the broker.
    public static let `internal` = Self(.internal)

    /// A frame of this client is not JSON. This word and the following ones report an error in the client, or in a device between
    /// the client and the broker.
    public static let malformedJSON = Self(.malformedJSON)
    /// A frame is not valid UTF-8.
    public static let invalidUTF8 = Self(.invalidUTF8)
    /// A frame is longer than the broker accepts.
    public static let lineTooLong = Self(.lineTooLong)
    /// Arrays and objects are nested deeper than the broker accepts: 64 levels unless it is configured otherwise.
    public static let nestingTooDeep = Self(.nestingTooDeep)
    /// A frame contains a field twice.
    public static let duplicateField = Self(.duplicateField)
    /// The broker does not know the type of a frame; it is older than this client.
    public static let unknownType = Self(.unknownType)
    /// A required field is missing in a frame.
    public static let missingField = Self(.missingField)
    /// A value is not valid.
    public static let invalidField = Self(.invalidField)
    /// A frame came before the handshake.
    public static let handshakeRequired = Self(.handshakeRequired)
    /// The handshake did not come in time.
    public static let handshakeTimeout = Self(.handshakeTimeout)
    /// The client has sent a second handshake.
    public static let alreadyConnected = Self(.alreadyConnected)
    /// The client speaks a protocol that the broker does not support on this port.
    public static let wrongProtocol = Self(.wrongProtocol)

    private init(_ code: RoomModel.Code) {
        self.init(rawValue: code.rawValue)
    }
}

/// The words of this client.
extension RoomClientError.Code {
    /// The connection cannot be opened: the broker does not listen there, the name is unknown, or TLS failed.
    public static let connectionFailed = Self(rawValue: "connection_failed")
    /// The connection ended before the answer came.
    public static let connectionLost = Self(rawValue: "connection_lost")
    /// There is no connection, and the request does not wait for one.
    public static let notConnected = Self(rawValue: "not_connected")
    /// The client is closed, or the app has left the room.
    public static let closed = Self(rawValue: "closed")
    /// The task of the call was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The answer did not come in time. The message of a publish may have been stored.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The outbox is full, and ``RoomClient/Configuration/Outbox/whenFull`` is ``RoomClient/Configuration/WhenFull/fail``.
    public static let outboxFull = Self(rawValue: "outbox_full")
    /// A value cannot be written as JSON.
    public static let encodingFailed = Self(rawValue: "encoding_failed")
    /// A JSON value cannot be read as the requested type.
    public static let decodingFailed = Self(rawValue: "decoding_failed")
    /// The URL is not like `tcp://host:port`, `tls://host:port`, `ws://host:port` or `wss://host`.
    public static let invalidURL = Self(rawValue: "invalid_url")
    /// The app's token provider threw an error, which is the cause.
    public static let tokenProviderFailed = Self(rawValue: "token_provider_failed")
    /// The other side does not speak the protocol of Roomline.
    public static let protocolViolation = Self(rawValue: "protocol_violation")
    /// This client is already in the room: use the existing ``Room``.
    public static let alreadyJoined = Self(rawValue: "already_joined")
}
