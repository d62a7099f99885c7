package import NIOCore

/// One frame from a client: what it asks, and the `callback` under which it wants the answer.
package struct ClientFrame: Equatable, Sendable {
    package var callback: Int64?
    package var request: Request

    package init(callback: Int64?, request: Request) {
        self.callback = callback
        self.request = request
    }
}

/// A client's request, a case a frame type (protocol §1 and §2).
package enum Request: Equatable, Sendable {
    case handshake(HandshakeRequest)
    case authenticate(token: String)
    case subscribe(SubscribeRequest)
    case unsubscribe(RoomSelection)
    case publish(PublishRequest)
    /// New `client_data`: one JSON value, bytes untouched.
    case update(clientData: ByteBuffer)
    case members(RoomName)
    case history(HistoryRequest)
    case rooms
    case moderate(ModerationRequest)
    case ping
    /// The answer to a ping of ours.
    case pong
}

/// `{"type":"handshake",…}`
package struct HandshakeRequest: Equatable, Sendable {
    package var channel: String
    /// One JSON value, bytes untouched; `nil` when absent.
    package var clientData: ByteBuffer?
    package var token: String?
    /// Asks for a `resume_token`.
    package var resumable: Bool
    /// The `resume_token` of an earlier connection.
    package var resume: String?
    /// The interval in seconds at which the client wants to be pinged.
    package var heartbeat: Int?

    package init(
        channel: String,
        clientData: ByteBuffer? = nil,
        token: String? = nil,
        resumable: Bool = false,
        resume: String? = nil,
        heartbeat: Int? = nil
    ) {
        self.channel = channel
        self.clientData = clientData
        self.token = token
        self.resumable = resumable
        self.resume = resume
        self.heartbeat = heartbeat
    }
}

/// `"room":"r"` or `"rooms":["r",…]`: the two forms get replies of two shapes.
package enum RoomSelection: Equatable, Sendable {
    case one(RoomName)
    /// Names that a room cannot have are answered one by one, in place.
    case many([Result<RoomName, RequestError>])
}

/// `{"type":"subscribe",…}`
package struct SubscribeRequest: Equatable, Sendable {
    package var rooms: RoomSelection
    /// How many of the newest messages to send as `history_message` frames; 0: none.
    package var historyCount: Int
    /// Where the client stopped; beats `historyCount`. Only with one room.
    package var since: Position?
    package var overflow: OverflowPolicy
    /// Whether to be shown who is in the rooms; `nil`: as it was asked before.
    package var presence: Bool?

    package init(
        rooms: RoomSelection,
        historyCount: Int = 0,
        since: Position? = nil,
        overflow: OverflowPolicy = .disconnect,
        presence: Bool? = nil
    ) {
        self.rooms = rooms
        self.historyCount = historyCount
        self.since = since
        self.overflow = overflow
        self.presence = presence
    }
}

/// The treatment of a subscriber that reads so slowly that the log's window has moved past it and the store cannot
/// help.
package enum OverflowPolicy: String, CaseIterable, Sendable {
    case disconnect
    /// Jump to the start of the memory window.
    case dropOldest = "drop_oldest"
    /// Jump to the newest message.
    case latest
}

/// `{"type":"publish",…}`
package struct PublishRequest: Equatable, Sendable {
    package var room: RoomName
    /// One JSON value, bytes untouched.
    package var message: ByteBuffer
    /// The client's own UUID of this message: a repeat is answered, not delivered.
    package var messageID: UniqueID?
    package var isEphemeral: Bool
    /// False: not delivered live to the connection that publishes.
    package var echoes: Bool

    package init(
        room: RoomName,
        message: ByteBuffer,
        messageID: UniqueID? = nil,
        isEphemeral: Bool = false,
        echoes: Bool = true
    ) {
        self.room = room
        self.message = message
        self.messageID = messageID
        self.isEphemeral = isEphemeral
        self.echoes = echoes
    }
}

/// `{"type":"history",…}`: the newest messages, or those before or after a `seq`.
package struct HistoryRequest: Equatable, Sendable {
    package enum Anchor: Equatable, Sendable {
        case newest
        case before(UInt64)
        case after(UInt64)
    }

    package var room: RoomName
    package var anchor: Anchor
    /// 1 or more; the session caps it.
    package var limit: Int?
    /// How many of the newest messages the asker may read at all: its token's `history`.
    package var depth: Int

    package init(room: RoomName, anchor: Anchor = .newest, limit: Int? = nil, depth: Int = .max) {
        self.room = room
        self.anchor = anchor
        self.limit = limit
        self.depth = depth
    }
}

/// How large what a client sends may be (protocol §3, limits). Sizes in bytes.
package struct FrameLimits: Equatable, Sendable {
    package var line = 128 * 1024
    package var message = 64 * 1024
    package var clientData = 64 * 1024
    package var nesting = 64
    package var roomName = 200
    /// Rooms named in one `subscribe` or `unsubscribe`.
    package var roomsPerFrame = 1_000
    /// Beyond this much of one line without an end, the connection is closed.
    package var endlessLine = 16 * 1024 * 1024

    package init() {}
}
