/// The fields of the broker's frames that the SDK reads; all others are ignored.
enum BrokerField: Int, NamedField {
    case type
    case room
    case id
    case seq
    case sender
    case message
    case callback
    case duplicate
    case error
    case code
    case reason
    case retryAfter
    case messageID
    case data
    case members
    case memberCount
    case epoch
    case fromSeq
    case toSeq
    case reconnect
    case clientID
    case resumeToken
    case resumed
    case requireAuth
    case recovered
    case messages
    case more
    case redacted
    case targetSeq
    case targetID
    case text
    case seconds
    case until

    static let count = Self.until.rawValue + 1

    var name: StaticString {
        switch self {
        case .type: "type"
        case .room: "room"
        case .id: "id"
        case .seq: "seq"
        case .sender: "sender"
        case .message: "message"
        case .callback: "callback"
        case .duplicate: "duplicate"
        case .error: "error"
        case .code: "code"
        case .reason: "reason"
        case .retryAfter: "retry_after_ms"
        case .messageID: "message_id"
        case .data: "data"
        case .members: "members"
        case .memberCount: "count"
        case .epoch: "epoch"
        case .fromSeq: "from_seq"
        case .toSeq: "to_seq"
        case .reconnect: "reconnect"
        case .clientID: "client_id"
        case .resumeToken: "resume_token"
        case .resumed: "resumed"
        case .requireAuth: "require_auth"
        case .recovered: "recovered"
        case .messages: "messages"
        case .more: "more"
        case .redacted: "redacted"
        case .targetSeq: "target_seq"
        case .targetID: "target_id"
        case .text: "text"
        case .seconds: "seconds"
        case .until: "until"
        }
    }

    /// The fields of a publish come first, and the length rules most of them out.
    init?(name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.equals("type"): self = .type
        case 4 where name.equals("room"): self = .room
        case 2 where name.equals("id"): self = .id
        case 3 where name.equals("seq"): self = .seq
        case 6 where name.equals("sender"): self = .sender
        case 7 where name.equals("message"): self = .message
        case 8 where name.equals("callback"): self = .callback
        case 9 where name.equals("duplicate"): self = .duplicate
        case 5 where name.equals("error"): self = .error
        case 4 where name.equals("code"): self = .code
        case 6 where name.equals("reason"): self = .reason
        case 14 where name.equals("retry_after_ms"): self = .retryAfter
        case 10 where name.equals("message_id"): self = .messageID
        case 4 where name.equals("data"): self = .data
        case 7 where name.equals("members"): self = .members
        case 5 where name.equals("count"): self = .memberCount
        case 5 where name.equals("epoch"): self = .epoch
        case 8 where name.equals("from_seq"): self = .fromSeq
        case 6 where name.equals("to_seq"): self = .toSeq
        case 9 where name.equals("reconnect"): self = .reconnect
        case 9 where name.equals("client_id"): self = .clientID
        case 12 where name.equals("resume_token"): self = .resumeToken
        case 7 where name.equals("resumed"): self = .resumed
        case 12 where name.equals("require_auth"): self = .requireAuth
        case 9 where name.equals("recovered"): self = .recovered
        case 8 where name.equals("messages"): self = .messages
        case 4 where name.equals("more"): self = .more
        case 8 where name.equals("redacted"): self = .redacted
        case 10 where name.equals("target_seq"): self = .targetSeq
        case 9 where name.equals("target_id"): self = .targetID
        case 4 where name.equals("text"): self = .text
        case 7 where name.equals("seconds"): self = .seconds
        case 5 where name.equals("until"): self = .until
        default: return nil
        }
    }
}
