/// The values of `type` in the broker's frames.
enum BrokerFrameType: WireWord {
    case publish
    case historyMessage
    case members
    case memberJoin
    case memberLeave
    case memberUpdate
    case gap
    case messageRedacted
    case roomCleared
    case notice
    case muted
    case unmuted
    case removed
    case goodbye
    case ping
    case pong

    static let table = WordTable<Self>()

    var name: StaticString {
        switch self {
        case .publish: "publish"
        case .historyMessage: "history_message"
        case .members: "observable_members"
        case .memberJoin: "observable_member_join"
        case .memberLeave: "observable_member_leave"
        case .memberUpdate: "observable_member_update"
        case .gap: "gap"
        case .messageRedacted: "message_redacted"
        case .roomCleared: "room_cleared"
        case .notice: "notice"
        case .muted: "muted"
        case .unmuted: "unmuted"
        case .removed: "removed"
        case .goodbye: "goodbye"
        case .ping: "ping"
        case .pong: "pong"
        }
    }
}

/// The fields of the broker's frames that the SDK reads; all others are ignored.
enum BrokerField: Int, WireField {
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
    case presence
    case messages
    case more
    case gap
    case redacted
    case targetSeq
    case targetID
    case text
    case seconds
    case until
    case afterSeq
    case rules
    case sanctions
    case total
    case author

    static let table = WordTable<Self>()

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
        case .presence: "presence"
        case .messages: "messages"
        case .more: "more"
        case .gap: "gap"
        case .redacted: "redacted"
        case .targetSeq: "target_seq"
        case .targetID: "target_id"
        case .text: "text"
        case .seconds: "seconds"
        case .until: "until"
        case .afterSeq: "after_seq"
        case .rules: "rules"
        case .sanctions: "sanctions"
        case .total: "total"
        case .author: "author"
        }
    }
}
