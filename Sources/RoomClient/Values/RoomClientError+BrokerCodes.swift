import RoomModel

/// The broker's words, those of the protocol's table of codes.
extension RoomClientError.Code {
    /// The broker has no such channel.
    public static let unknownChannel = Self(.unknownChannel)
    /// The room's name is empty, too long, or has control characters.
    public static let roomNameInvalid = Self(.roomNameInvalid)
    /// The room has no presence: its name does not start with `observable-`.
    public static let notObservable = Self(.notObservable)
    /// The channel keeps no history.
    public static let historyOff = Self(.historyOff)
    /// This client is not in that room.
    public static let notSubscribed = Self(.notSubscribed)
    /// This connection is in that room already.
    public static let alreadySubscribed = Self(.alreadySubscribed)
    /// A connection cannot be in more rooms, or the channel has no place for another one.
    public static let tooManyRooms = Self(.tooManyRooms)
    /// The room is full.
    public static let tooManyMembers = Self(.tooManyMembers)
    /// The channel, or the address that this client comes from, has as many connections as it may have.
    public static let tooManyConnections = Self(.tooManyConnections)

    /// The channel wants a token.
    public static let authenticationRequired = Self(.authenticationRequired)
    /// The token is not one of this channel, or is for another client.
    public static let tokenInvalid = Self(.tokenInvalid)
    /// The token was good once.
    public static let tokenExpired = Self(.tokenExpired)
    /// The token does not allow that, or not any more.
    public static let permissionDenied = Self(.permissionDenied)
    /// This client is not to come back.
    public static let banned = Self(.banned)
    /// A moderator has ended this client's session.
    public static let kicked = Self(.kicked)
    /// This client may read, and not publish.
    public static let muted = Self(.muted)
    /// Nobody but moderators publishes in the room for now.
    public static let roomLocked = Self(.roomLocked)
    /// The room has no such message, or none any more.
    public static let messageNotFound = Self(.messageNotFound)
    /// The room, or the channel, has no such member.
    public static let memberNotFound = Self(.memberNotFound)
    /// There is no such ban or mute.
    public static let sanctionNotFound = Self(.sanctionNotFound)
    /// The channel has as many bans and mutes, or rooms with rules, as it may have.
    public static let tooManySanctions = Self(.tooManySanctions)
    /// Too many requests; see ``RoomClientError/retryAfter``.
    public static let rateLimited = Self(.rateLimited)

    /// The message is larger than the broker allows.
    public static let messageTooLarge = Self(.messageTooLarge)
    /// Another message has been published under the same id. Ids of this client are its own, so this is none of its
    /// errors.
    public static let messageIDConflict = Self(.messageIDConflict)
    /// The broker's store did not confirm.
    public static let storageUnavailable = Self(.storageUnavailable)

    /// This client did not read what the broker had for it.
    public static let slowConsumer = Self(.slowConsumer)
    /// The broker had not heard of this client for too long.
    public static let heartbeatTimeout = Self(.heartbeatTimeout)
    /// Another connection has resumed this session.
    public static let replaced = Self(.replaced)
    /// The broker is being stopped.
    public static let shuttingDown = Self(.shuttingDown)
    /// The broker failed, and not by any fault of this client.
    public static let `internal` = Self(.internal)

    /// The broker did not take a frame of this client: no JSON. This word and those that follow tell of a fault in the
    /// client, or of something between it and the broker.
    public static let malformedJSON = Self(.malformedJSON)
    /// A frame is no UTF-8.
    public static let invalidUTF8 = Self(.invalidUTF8)
    /// A frame is longer than the broker takes.
    public static let lineTooLong = Self(.lineTooLong)
    /// Arrays and objects stand in each other deeper than the broker takes: 64 levels, unless it is configured
    /// otherwise.
    public static let nestingTooDeep = Self(.nestingTooDeep)
    /// A field stands twice in a frame.
    public static let duplicateField = Self(.duplicateField)
    /// The broker is older than this client, and does not know what it was asked.
    public static let unknownType = Self(.unknownType)
    /// A frame lacks a field.
    public static let missingField = Self(.missingField)
    /// A value is not as it has to be.
    public static let invalidField = Self(.invalidField)
    /// There was no handshake.
    public static let handshakeRequired = Self(.handshakeRequired)
    /// The handshake did not come in time.
    public static let handshakeTimeout = Self(.handshakeTimeout)
    /// There was a second handshake.
    public static let alreadyConnected = Self(.alreadyConnected)
    /// The broker was spoken to in another protocol than its own.
    public static let wrongProtocol = Self(.wrongProtocol)

    private init(_ code: RoomModel.Code) {
        self.init(rawValue: code.rawValue)
    }
}
