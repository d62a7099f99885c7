package import NIOCore
package import RoomModel

/// The commands that reach a room, in the order in which they take effect. Each is a value: with the turn in which it is taken
/// (`RoomTurn`) it says all that it does, and can be written down (`RecordWriter`).
package enum RoomCommand: Equatable, Sendable {
    case publish(PublishCommand)
    case join(JoinCommand)
    /// Unsubscribed, or gone without a grace period.
    case leave(ClientID, ConnectionRef)
    /// The connection is gone, but its session can be resumed: it stays a member, with this newest data where the room
    /// was not told of it.
    case linger(ClientID, ConnectionRef, newest: Sender? = nil)
    /// The grace period of a lingering member is over.
    case graceEnded(ClientID)
    case update(Sender)
    /// A moderator takes a member out.
    case kick(KickCommand)
    /// Something for all members to read.
    case notice(NoticeCommand)
    /// The room has other rules from now on.
    case rules(RoomRules)
    /// The room has other settings from now on; `epoch`: its own, if it has no history from now on.
    case settings(RoomSettings, epoch: Epoch)
    /// A plain-text client has taken a name.
    case rename(RenameCommand)
    case members(Origin)
    case history(Origin, HistoryRequest)
    /// Asks for a message of the room, at this place of its order.
    case locate(Origin)
    /// Indirect: it is rare, and publishes need not be as large.
    indirect case redact(RedactCommand)
    case clear(ClearCommand)
}

extension RoomCommand {
    /// The answer of a room that does not take it; `nil` where nobody waits for one.
    package func refused(_ error: RequestError, in room: RoomName) -> RoomAnswer? {
        switch self {
        case .publish(let publish): .refused(publish.origin, publish.refused(error, in: room))
        case .members(let origin), .history(let origin, _), .locate(let origin):
            .refused(origin, error.answering(origin.callback))
        case .redact(let redaction): .refused(redaction.origin, error)
        case .clear(let clear): .refused(clear.origin, error)
        case .kick(let kick): .refused(kick.origin, error)
        case .notice(let notice): .refused(notice.origin, error)
        case .join(let join): RoomAnswer(to: join.connection, .joinRefused(join, error))
        case .leave, .linger, .graceEnded, .update, .rename, .rules, .settings: nil
        }
    }
}

extension RoomCommand {
    /// The one that it came from; `nil` where the broker itself has it done.
    var connection: ConnectionRef? {
        switch self {
        case .publish(let publish): publish.origin.connection
        case .join(let join): join.connection
        case .leave(_, let connection), .linger(_, let connection, _): connection
        case .kick(let kick): kick.origin.connection
        case .notice(let notice): notice.origin.connection
        case .rename(let rename): rename.origin.connection
        case .members(let origin), .history(let origin, _), .locate(let origin): origin.connection
        case .redact(let redaction): redaction.origin.connection
        case .clear(let clear): clear.origin.connection
        case .graceEnded, .update, .rules, .settings: nil
        }
    }
}

/// A notice on its way into a room.
package struct NoticeCommand: Equatable, Sendable {
    package var notice: Notice
    package var sender: Sender
    /// Is told how many subscribers it has reached.
    package var origin: Origin

    package init(_ notice: Notice, by sender: Sender, origin: Origin) {
        self.notice = notice
        self.sender = sender
        self.origin = origin
    }
}

/// A message on its way into a room.
package struct PublishCommand: Equatable, Sendable {
    package var origin: Origin
    package var sender: Sender
    package var message: ByteBuffer
    package var messageID: UniqueID?
    package var isEphemeral: Bool
    package var echoes: Bool
    /// The author for whom the room's rules hold; `nil`: a moderator, an administrator, or who has the channel's
    /// secret.
    package var author: Author?
    /// Of the text that `message` has taken the place of, since it was erased from the log (`RecordErasure`); by it a repeat is known.
    package var erasedText: UInt64?

    package init(
        origin: Origin,
        sender: Sender,
        message: ByteBuffer,
        messageID: UniqueID? = nil,
        isEphemeral: Bool = false,
        echoes: Bool = true,
        author: Author? = nil
    ) {
        self.origin = origin
        self.sender = sender
        self.message = message
        self.messageID = messageID
        self.isEphemeral = isEphemeral
        self.echoes = echoes
        self.author = author
    }

    /// The bytes that it takes while it waits.
    package var size: Int { self.message.readableBytes + self.sender.json.readableBytes }

    /// The answer where too much waits for the store already.
    package func refusedForTooMuch(in room: RoomName) -> RoomAnswer {
        let error = RequestError(
            .storageUnavailable,
            "too many messages wait to be stored; publish again later",
            retryAfterMilliseconds: 250
        )
        return .refused(self.origin, self.refused(error, in: room))
    }

    /// The error form of an answer to this publish.
    package func refused(_ error: RequestError, in room: RoomName) -> RequestError {
        error.answering(self.origin.callback, aboutPublishTo: room, self.messageID)
    }
}

/// A plain-text client's new name on its way into its room.
package struct RenameCommand: Equatable, Sendable {
    package var origin: Origin
    /// With the new name.
    package var sender: Sender
    package var name: String
    /// The author for whom the room's rules hold.
    package var author: Author

    package init(origin: Origin, sender: Sender, name: String, author: Author) {
        self.origin = origin
        self.sender = sender
        self.name = name
        self.author = author
    }
}

/// A member to be taken out of a room by a moderator.
package struct KickCommand: Equatable, Sendable {
    package var client: ClientID
    package var reason: String?
    /// The moderator.
    package var sender: Sender
    package var origin: Origin

    package init(client: ClientID, reason: String?, sender: Sender, origin: Origin) {
        self.client = client
        self.reason = reason
        self.sender = sender
        self.origin = origin
    }
}

/// A subscribe on its way into a room, or a subscriber that the window has moved past and that starts anew.
package struct JoinCommand: Equatable, Sendable {
    package enum Start: Equatable, Sendable {
        /// With what is published from now on, after so many of the newest messages.
        case live(historyCount: Int)
        case since(Position)
        /// A member that lagged behind the window: everything after this `seq`, or what is left of it.
        case resync(seq: UInt64, OverflowPolicy)
    }

    package var connection: ConnectionRef
    package var member: Sender
    package var clientID: ClientID
    package var wireFormat: WireFormat
    package var start: Start
    /// How many of the newest messages the member may be given of what was before it: its token's `history`.
    package var historyDepth: Int
    /// How often the session was resumed before: of two connections of one session the room takes the newer one, in whatever order
    /// the log has their joins.
    package var resumes: UInt32
    /// The room's own limit of members is not for it.
    package var isModerator: Bool
    /// Asked again by the broker, for a member that is in the room: it does not come back if it was taken out meanwhile.
    package var isRepeat: Bool
    /// Whether the member asks to be shown who is in the room; `nil`: as it has asked before, and no at first.
    package var asksPresence: Bool?

    package init(
        connection: ConnectionRef,
        member: Sender,
        clientID: ClientID,
        wireFormat: WireFormat = .jsonLines,
        start: Start = .live(historyCount: 0),
        historyDepth: Int = .max,
        resumes: UInt32 = 0,
        isModerator: Bool = false,
        isRepeat: Bool = false,
        asksPresence: Bool? = nil
    ) {
        self.connection = connection
        self.member = member
        self.clientID = clientID
        self.wireFormat = wireFormat
        self.start = start
        self.historyDepth = historyDepth
        self.resumes = resumes
        self.isModerator = isModerator
        self.isRepeat = isRepeat
        self.asksPresence = asksPresence
    }

    /// Only the store may know what it is to get first.
    package var needsStore: Bool {
        switch self.start {
        case .live: false
        case .since, .resync: true
        }
    }

    package var isResync: Bool {
        if case .resync = self.start { true } else { false }
    }
}
