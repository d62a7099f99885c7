package import RoomCore

extension ControlStore {
    package func adminTokens() throws(ChannelDirectoryError) -> [StoredAdminToken] {
        try self.read { try StoredAdminToken.fetchAll($0) }
    }

    /// Without a backup: the next change's has the entry.
    package func append(_ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.write { _ = try audit.insert($0) }
    }

    package func audit(
        before: Int64?,
        limit: Int,
        matching filter: AuditFilter
    ) throws(ChannelDirectoryError) -> [StoredAuditEntry] {
        try self.read { try StoredAuditEntry.fetch($0, before: before, limit: limit, filter) }
    }
}
