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

    /// The frequent ones come first, and the length rules most of them out.
    init?(name: UnsafeRawBufferPointer) {
        switch name.count {
        case 7 where name.equals("publish"): self = .publish
        case 15 where name.equals("history_message"): self = .historyMessage
        case 18 where name.equals("observable_members"): self = .members
        case 22 where name.equals("observable_member_join"): self = .memberJoin
        case 23 where name.equals("observable_member_leave"): self = .memberLeave
        case 24 where name.equals("observable_member_update"): self = .memberUpdate
        case 3 where name.equals("gap"): self = .gap
        case 16 where name.equals("message_redacted"): self = .messageRedacted
        case 12 where name.equals("room_cleared"): self = .roomCleared
        case 6 where name.equals("notice"): self = .notice
        case 5 where name.equals("muted"): self = .muted
        case 7 where name.equals("unmuted"): self = .unmuted
        case 7 where name.equals("removed"): self = .removed
        case 7 where name.equals("goodbye"): self = .goodbye
        case 4 where name.equals("ping"): self = .ping
        case 4 where name.equals("pong"): self = .pong
        default: return nil
        }
    }

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
