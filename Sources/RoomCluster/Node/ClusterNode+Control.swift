package import RoomCore
package import RoomModel
import RoomStore

/// The directories of a node of a cluster: what they read is the node's own file, and what they change all nodes change.
extension ClusterNode: ControlChangeMaker {
    package func make(_ change: ControlChange) throws(ChannelDirectoryError) -> ControlChange.Outcome {
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

    // MARK: Moderation

    package var isShared: Bool { true }

    package func moderation(now: Int64) throws(ChannelDirectoryError) -> [ChannelID: ChannelModeration] {
        try self.control.store.moderation(now: now)
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

    package func adminTokens() throws(ChannelDirectoryError) -> [StoredAdminToken] {
        try self.control.store.adminTokens()
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
