/// What moderation does, by the word in the audit log and in metrics.
package enum AuditAction: String, CaseIterable, Sendable {
    case kick = "member.kick"
    case impose = "sanction.impose"
    case lift = "sanction.lift"
    case lock = "room.lock"
    case unlock = "room.unlock"
    case slowMode = "room.slow_mode"
    case limitMembers = "room.limit_members"
    case redact = "message.redact"
    case clear = "room.clear"
    case notifyRoom = "room.notice"
    case notifyChannel = "channel.notice"
}
