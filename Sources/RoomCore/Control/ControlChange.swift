package import RoomModel

/// A change of the control file as a value: every node makes the same changes in the same order, and so has the same
/// file. Times, secrets and conditions come in it.
package enum ControlChange: Equatable, Sendable {
    /// The calls of `ChannelDirectory`.
    case create(ChannelSettings, ChannelSecret, AuditEntry)
    case update(ChannelSettings, ifVersion: Int64?, AuditEntry)
    case setSecrets([ChannelSecret], of: ChannelID, ifVersion: Int64?, AuditEntry)
    case delete(ChannelID, ifVersion: Int64?, AuditEntry)
    /// The calls of `ModerationDirectory`.
    case impose(Sanction, in: ChannelID, AuditEntry)
    case lift(Sanction.Key, in: ChannelID, AuditEntry)
    case rules(RoomRules, of: RoomKey, [AuditEntry])
    case note(AuditEntry)
    case withdraw(Int64)
    /// The calls of `AdminDirectory`.
    case addToken(StoredAdminToken, AuditEntry)
    case removeToken(name: String, AuditEntry)
    /// Changes nothing: a node that has seen it has made all changes before it.
    case none

    /// What came of it, where nothing speaks against it.
    package enum Outcome: Equatable, Sendable {
        case channel(StoredChannel)
        /// The number of an audit entry.
        case entry(Int64)
        case done
    }

    /// The channel that is another one now, or whose moderation is.
    package var channel: ChannelID? {
        switch self {
        case .create(let settings, _, _), .update(let settings, _, _): settings.id
        case .setSecrets(_, let id, _, _), .delete(let id, _, _), .impose(_, let id, _), .lift(_, let id, _): id
        case .rules(_, let room, _): room.channel
        case .note, .withdraw, .addToken, .removeToken, .none: nil
        }
    }
}
