import RoomCore
import RoomModel
import RoomStore

/// The directories of a node of a cluster: what they read is the node's own file, and what they change all nodes change.
extension ClusterNode: ChannelDirectory, ModerationDirectory, AdminDirectory {
    private func make(_ change: ControlChange) throws(ChannelDirectoryError) -> ControlChange.Outcome {
        try self.control.make(change) { self.lags(behind: $0) }
    }

    // MARK: Channels

    func channels() throws(ChannelDirectoryError) -> [StoredChannel] { try self.control.store.channels() }

    /// Two nodes may do it at once: the second one finds the channel there.
    func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError) {
        for settings in channels {
            guard let change = try self.control.store.change(toEnsure: settings, secret: Broker.randomSecret()) else {
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

    func create(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.create(settings, secret, audit)).channel()
    }

    func update(
        _ settings: ChannelSettings,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.update(settings, ifVersion: ifVersion, audit)).channel()
    }

    func setSecrets(
        _ secrets: [ChannelSecret],
        of id: ChannelID,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.setSecrets(secrets, of: id, ifVersion: ifVersion, audit)).channel()
    }

    func delete(_ id: ChannelID, ifVersion: Int64?, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.delete(id, ifVersion: ifVersion, audit))
    }

    // MARK: Moderation

    var isShared: Bool { true }

    func moderation(now: Int64) throws(ChannelDirectoryError) -> [ChannelID: ChannelModeration] {
        try self.control.store.moderation(now: now)
    }

    func set(_ sanction: Sanction, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.impose(sanction, in: channel, audit))
    }

    func lift(_ key: Sanction.Key, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.lift(key, in: channel, audit))
    }

    func set(_ rules: RoomRules, of room: RoomKey, _ audit: [AuditEntry]) throws(ChannelDirectoryError) {
        _ = try self.make(.rules(rules, of: room, audit))
    }

    /// Each node does it in its own file: nobody can tell whether an end that has passed is still there.
    func forgetEnded(by time: Int64) throws(ChannelDirectoryError) { try self.control.store.forgetEnded(by: time) }

    func note(_ audit: AuditEntry) throws(ChannelDirectoryError) -> Int64 {
        guard case .entry(let entry) = try self.make(.note(audit)) else { return 0 }
        return entry
    }

    func withdraw(_ entry: Int64) throws(ChannelDirectoryError) { _ = try self.make(.withdraw(entry)) }

    // MARK: Administration

    func adminTokens() throws(ChannelDirectoryError) -> [AdminToken] { try self.control.store.adminTokens() }

    func add(_ token: AdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.addToken(token, audit))
    }

    func removeAdminToken(name: String, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.removeToken(name: name, audit))
    }

    func append(_ audit: AuditEntry) throws(ChannelDirectoryError) { _ = try self.make(.note(audit)) }

    func audit(
        before: Int64?,
        limit: Int,
        matching filter: AuditFilter
    ) throws(ChannelDirectoryError) -> [StoredAuditEntry] {
        try self.control.store.audit(before: before, limit: limit, matching: filter)
    }
}
