/// Who did what, when and from where. It never holds a secret or a token.
package struct AuditEntry: Equatable, Sendable {
    /// Unix milliseconds.
    package var time: Int64
    /// `uid:0` on the admin socket, `token:NAME`, `start` for what flags changed, or for what a moderator in a room did
    /// `member:` and its user or its `client_id`.
    package var actor: String
    /// `unix`, or an address.
    package var origin: String
    /// As `channel.create`.
    package var action: String
    package var target: String
    /// One JSON object; the log keeps 4 KiB of it at most, or says how much it was.
    package var details: String

    package init(time: Int64, actor: String, origin: String, action: String, target: String, details: String = "{}") {
        self.time = time
        self.actor = actor
        self.origin = origin
        self.action = action
        self.target = target
        self.details = details
    }
}

/// An entry with its place in the audit log.
package struct StoredAuditEntry: Equatable, Sendable {
    /// Ascending in the order of the changes, never given twice.
    package var id: Int64
    package var entry: AuditEntry

    package init(id: Int64, entry: AuditEntry) {
        self.id = id
        self.entry = entry
    }
}

/// Which audit entries to read: those that are equal in all that is not `nil`.
package struct AuditFilter: Equatable, Sendable {
    package var actor: String?
    package var action: String?
    package var target: String?

    package init(actor: String? = nil, action: String? = nil, target: String? = nil) {
        self.actor = actor
        self.action = action
        self.target = target
    }
}
