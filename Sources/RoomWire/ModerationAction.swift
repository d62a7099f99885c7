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
}
