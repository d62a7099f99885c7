/// The values of `action` in a `moderate` frame.
enum ModerationAction: String, CaseIterable {
    case kick
    case ban
    case mute
    case unban
    case unmute
    case lock
    case unlock
    case slowMode = "slow_mode"
    case limitMembers = "limit_members"
    case redact
    case clear
    case notice
    case show
}

/// The fields that only a `moderate` frame has, or that have bounds of their own in it. They are read by a second scan of
/// the line, so that the frequent frames do not pay for their names.
enum ModerationField: Int, WireField {
    case action
    case reason
    case clientID
    case user
    case address
    case seconds
    case memberCount
    case targetSeq
    case targetID
    case text
    case redact
    case afterSeq

    static let table = WordTable<Self>()

    var name: StaticString {
        switch self {
        case .action: "action"
        case .reason: "reason"
        case .clientID: "client_id"
        case .user: "user"
        case .address: "address"
        case .seconds: "seconds"
        case .memberCount: "count"
        case .targetSeq: "target_seq"
        case .targetID: "target_id"
        case .text: "text"
        case .redact: "redact"
        case .afterSeq: "after_seq"
        }
    }
}
