package import RoomModel

/// The values of `type` in the broker's frames.
package enum BrokerFrameType: Int, WireWord {
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

    package static let table = WordTable(Self.names)

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

extension BrokerFrameType {
    /// The description of the fields, but for sender and stamp; `nil` where they are read by hand.
    private var body: (any DescribedObject.Type)? {
        switch self {
        case .publish, .historyMessage, .ping, .pong: nil
        case .members: ObservableMembers.self
        case .memberJoin, .memberLeave, .memberUpdate: PresenceEvent.self
        case .gap: GapEvent.self
        case .messageRedacted: RedactionEvent.self
        case .roomCleared: ClearingEvent.self
        case .notice: NoticeEvent.self
        case .muted, .unmuted: MuteEvent.self
        case .removed: Removal.self
        case .goodbye: Goodbye.self
        }
    }

    /// All fields that a frame or an answer can have.
    static let fields = WordTable(BrokerField.names, fieldsOf: Self.allCases.compactMap(\.body) + Reply.bodies)
}

extension EntryKind {
    /// The frame that tells of it.
    package var frameType: BrokerFrameType {
        switch self {
        case .message, .tombstone: .publish
        case .redaction: .messageRedacted
        }
    }
}

/// The fields that are read by hand: those of the envelope, of a message and of a receipt.
enum BrokerField: Int, WireWord {
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

    static var table: WordTable { BrokerFrameType.fields }

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
