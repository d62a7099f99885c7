package import RoomCore
package import RoomModel
import RoomStore

/// The directories of a node of a cluster: what they read is the node's own file, and what they change all nodes change.
extension ClusterNode: ChannelDirectory, ModerationDirectory, AdminDirectory {
    private func make(_ change: ControlChange) throws(ChannelDirectoryError) -> ControlChange.Outcome {
        try self.control.make(change) { self.lags(behind: $0) }
    }

    private static func randomSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return ChannelSecret.random(using: &generator).text
    }

    // MARK: Channels

    package func channels() throws(ChannelDirectoryError) -> [StoredChannel] { try self.control.store.channels() }

    /// Two nodes may do it at once: the second one finds the channel there.
    package func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError) {
        for settings in channels {
            guard let change = try self.control.store.change(toEnsure: settings, secret: Self.randomSecret()) else {
                continue
            }
            do throws(ChannelDirectoryError) {
                _ = try self.make(change)
            } catch {
                guard error.reason == .exists || error.reason == .versionDiffers,
                    try self.control.store.change(toEnsure: settings, secret: "") == nil
                else { throw error }
            }
        }
    }

    package func create(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.create(settings, secret, audit)).channel()
    }

    package func update(
        _ settings: ChannelSettings,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.update(settings, ifVersion: ifVersion, audit)).channel()
    }

    package func setSecrets(
        _ secrets: [ChannelSecret],
        of id: ChannelID,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.setSecrets(secrets, of: id, ifVersion: ifVersion, audit)).channel()
    }

    package func delete(_ id: ChannelID, ifVersion: Int64?, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.delete(id, ifVersion: ifVersion, audit))
    }

    // MARK: Moderation

    package var isShared: Bool { true }

    package func moderation(now: Int64) throws(ChannelDirectoryError) -> [ChannelID: ChannelModeration] {
        try self.control.store.moderation(now: now)
    }

    package func set(_ sanction: Sanction, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.impose(sanction, in: channel, audit))
    }

    package func lift(_ key: Sanction.Key, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.lift(key, in: channel, audit))
    }

    package func set(_ rules: RoomRules, of room: RoomKey, _ audit: [AuditEntry]) throws(ChannelDirectoryError) {
        _ = try self.make(.rules(rules, of: room, audit))
    }

    /// Each node does it in its own file: nobody can tell whether an end that has passed is still there.
    package func forgetEnded(by time: Int64) throws(ChannelDirectoryError) {
        try self.control.store.forgetEnded(by: time)
    }

    package func note(_ audit: AuditEntry) throws(ChannelDirectoryError) -> Int64 {
        guard case .entry(let entry) = try self.make(.note(audit)) else { return 0 }
        return entry
    }

    package func withdraw(_ entry: Int64) throws(ChannelDirectoryError) { _ = try self.make(.withdraw(entry)) }

    // MARK: Administration

    package func adminTokens() throws(ChannelDirectoryError) -> [AdminToken] { try self.control.store.adminTokens() }

    package func add(_ token: AdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.addToken(token, audit))
    }

    package func removeAdminToken(name: String, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.removeToken(name: name, audit))
    }

    package func append(_ audit: AuditEntry) throws(ChannelDirectoryError) { _ = try self.make(.note(audit)) }

    package func audit(
        before: Int64?,
        limit: Int,
        matching filter: AuditFilter
    ) throws(ChannelDirectoryError) -> [StoredAuditEntry] {
        try self.control.store.audit(before: before, limit: limit, matching: filter)
    }
}
