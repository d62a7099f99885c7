package import RoomCore

extension ControlStore: AdminDirectory {
    package func adminTokens() throws(ChannelDirectoryError) -> [AdminToken] {
        try self.read { try AdminToken.fetchAll($0) }
    }

    package func add(_ token: AdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.change(audit) { db, _ in
            guard try !AdminToken.exists(db, name: token.name) else {
                throw ChannelDirectoryError(
                    .exists,
                    text: "the admin token '\(token.name)' already exists: remove it, or choose another name"
                )
            }
            try token.insert(db)
        }
    }

    package func removeAdminToken(name: String, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.change(audit) { db, _ in
            guard try AdminToken.exists(db, name: name) else {
                throw ChannelDirectoryError(.notFound, text: "there is no admin token '\(name)'")
            }
            try AdminToken.delete(db, name: name)
        }
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
