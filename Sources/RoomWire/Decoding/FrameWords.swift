/// The values of `type` in client frames.
enum FrameType: WireWord {
    case publish
    case ping
    case pong
    case subscribe
    case unsubscribe
    case handshake
    case authenticate
    case update
    case members
    case history
    case rooms
    case moderate

    static let table = WordTable<Self>()

    var name: StaticString {
        switch self {
        case .publish: "publish"
        case .ping: "ping"
        case .pong: "pong"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .handshake: "handshake"
        case .authenticate: "authenticate"
        case .update: "update"
        case .members: "members"
        case .history: "history"
        case .rooms: "rooms"
        case .moderate: "moderate"
        }
    }
}

/// The fields of client frames that we know (protocol §1 and §2); all others are ignored.
enum FrameField: Int, WireField {
    case type
    case room
    case message
    case callback
    case messageID
    case ephemeral
    case echo
    case rooms
    case channel
    case clientData
    case token
    case resumable
    case resume
    case heartbeat
    case historyCount
    case history
    case since
    case overflow
    case presence
    case beforeSeq
    case afterSeq
    case limit

    static let table = WordTable<Self>()

    var name: StaticString {
        switch self {
        case .type: "type"
        case .room: "room"
        case .message: "message"
        case .callback: "callback"
        case .messageID: "message_id"
        case .ephemeral: "ephemeral"
        case .echo: "echo"
        case .rooms: "rooms"
        case .channel: "channel"
        case .clientData: "client_data"
        case .token: "token"
        case .resumable: "resumable"
        case .resume: "resume"
        case .heartbeat: "heartbeat"
        case .historyCount: "history_count"
        case .history: "history"
        case .since: "since"
        case .overflow: "overflow"
        case .presence: "presence"
        case .beforeSeq: "before_seq"
        case .afterSeq: "after_seq"
        case .limit: "limit"
        }
    }
}
