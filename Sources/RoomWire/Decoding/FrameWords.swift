/// The values of `type` in client frames.
package enum FrameType: WireWord {
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

    package static let table = WordTable<Self>()

    package var name: StaticString {
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

/// The fields that are read by the scan of every line: those of the envelope, and of a publish. The other frames are read by their
/// descriptions, in a second scan, so that the frequent frames do not pay for their names.
enum FrameField: Int, WireField {
    case type
    case room
    case message
    case callback
    case messageID
    case ephemeral
    case echo

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
        }
    }
}
