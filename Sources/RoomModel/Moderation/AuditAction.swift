/// An act in the audit log, by its word there, in metrics and in `roomline audit --action`.
package enum AuditAction: String, CaseIterable, Sendable {
    case createBackup = "backup.create"
    case createChannel = "channel.create"
    case deleteChannel = "channel.delete"
    case notifyChannel = "channel.notice"
    case rotateSecret = "channel.rotate_secret"
    case updateChannel = "channel.update"
    case importHistory = "history.import"
    case prune = "history.prune"
    case kick = "member.kick"
    case publish = "message.publish"
    case redact = "message.redact"
    case clear = "room.clear"
    case limitMembers = "room.limit_members"
    case lock = "room.lock"
    case notifyRoom = "room.notice"
    case slowMode = "room.slow_mode"
    case unlock = "room.unlock"
    case impose = "sanction.impose"
    case lift = "sanction.lift"
    case createToken = "token.create"
    case deleteToken = "token.delete"

    /// The words of the acts of moderation, which all moderators may see.
    package static let moderation = [
        AuditAction.kick, .impose, .lift, .lock, .unlock, .slowMode, .limitMembers, .redact, .clear, .prune,
        .notifyRoom, .notifyChannel,
    ].map(\.rawValue)
}
