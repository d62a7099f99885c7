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

    /// The frequent ones come first, and the length rules most of them out.
    init?(name: UnsafeRawBufferPointer) {
        switch name.count {
        case 7 where name.equals("publish"): self = .publish
        case 4 where name.equals("ping"): self = .ping
        case 4 where name.equals("pong"): self = .pong
        case 9 where name.equals("subscribe"): self = .subscribe
        case 11 where name.equals("unsubscribe"): self = .unsubscribe
        case 9 where name.equals("handshake"): self = .handshake
        case 12 where name.equals("authenticate"): self = .authenticate
        case 6 where name.equals("update"): self = .update
        case 7 where name.equals("members"): self = .members
        case 7 where name.equals("history"): self = .history
        case 5 where name.equals("rooms"): self = .rooms
        case 8 where name.equals("moderate"): self = .moderate
        default: return nil
        }
    }
}
