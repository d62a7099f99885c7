/// The fields of client frames that we know (protocol §1 and §2); all others are ignored.
enum FrameField: Int, NamedField {
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
    case beforeSeq
    case afterSeq
    case limit

    static let count = Self.limit.rawValue + 1

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
        case .beforeSeq: "before_seq"
        case .afterSeq: "after_seq"
        case .limit: "limit"
        }
    }

    /// The field with this name. The fields of a publish come first, and the length rules most of them out.
    init?(name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.equals("type"): self = .type
        case 4 where name.equals("room"): self = .room
        case 7 where name.equals("message"): self = .message
        case 8 where name.equals("callback"): self = .callback
        case 10 where name.equals("message_id"): self = .messageID
        case 9 where name.equals("ephemeral"): self = .ephemeral
        case 4 where name.equals("echo"): self = .echo
        case 5 where name.equals("rooms"): self = .rooms
        case 7 where name.equals("channel"): self = .channel
        case 11 where name.equals("client_data"): self = .clientData
        case 5 where name.equals("token"): self = .token
        case 9 where name.equals("resumable"): self = .resumable
        case 6 where name.equals("resume"): self = .resume
        case 9 where name.equals("heartbeat"): self = .heartbeat
        case 13 where name.equals("history_count"): self = .historyCount
        case 7 where name.equals("history"): self = .history
        case 5 where name.equals("since"): self = .since
        case 8 where name.equals("overflow"): self = .overflow
        case 10 where name.equals("before_seq"): self = .beforeSeq
        case 9 where name.equals("after_seq"): self = .afterSeq
        case 5 where name.equals("limit"): self = .limit
        default: return nil
        }
    }
}
