/// The values of `type` in the broker's frames.
package enum BrokerFrameType: WireWord {
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

    package static let table = WordTable<Self>()

    package var name: StaticString {
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

/// The fields that are read by the scan of every line: those of the envelope, of a message and of a receipt. The other frames are
/// read by their descriptions, in a second scan.
enum BrokerField: Int, WireField {
    case type
    case room
    case id
    case seq
    case sender
    case message
    case redacted
    case callback
    case duplicate
    case error

    static let table = WordTable<Self>()

    var name: StaticString {
        switch self {
        case .type: "type"
        case .room: "room"
        case .id: "id"
        case .seq: "seq"
        case .sender: "sender"
        case .message: "message"
        case .redacted: "redacted"
        case .callback: "callback"
        case .duplicate: "duplicate"
        case .error: "error"
        }
    }
}
