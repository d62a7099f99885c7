import RoomModel

/// The values of `type` in client frames.
package enum FrameType: Int, WireWord {
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

    package static let table = WordTable(Self.names)

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

extension FrameType {
    /// The description of the fields behind the envelope; `nil` where they are read by hand.
    private var body: (any DescribedObject.Type)? {
        switch self {
        case .publish, .ping, .pong, .rooms: nil
        case .subscribe: SubscribeRequest.self
        case .unsubscribe: RoomSelection.self
        case .handshake: HandshakeRequest.self
        case .authenticate: AuthenticateRequest.self
        case .update: UpdateRequest.self
        case .members: MembersRequest.self
        case .history: HistoryRequest.self
        case .moderate: ModerationRequest.self
        }
    }

    /// All fields that a frame can have.
    static let fields = WordTable(FrameField.names, fieldsOf: Self.allCases.compactMap(\.body))
}

/// The fields that are read by hand: those of the envelope, and of a publish.
enum FrameField: Int, WireWord {
    case type
    case room
    case message
    case callback
    case messageID
    case ephemeral
    case echo

    static var table: WordTable { FrameType.fields }

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
