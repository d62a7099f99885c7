/// The port to the admin tokens and the audit log, which lie in the control file beside the channels. The statements of
/// `ChannelDirectory` about its calls hold for these.
package protocol AdminDirectory: Sendable {
    /// All tokens, ordered by name, also expired ones.
    func adminTokens() throws(ChannelDirectoryError) -> [StoredAdminToken]

    /// Throws `.exists` where there is a token of this name.
    func add(_ token: StoredAdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError)

    /// Throws `.notFound` where there is none.
    func removeAdminToken(name: String, _ audit: AuditEntry) throws(ChannelDirectoryError)

    /// Notes what changed nothing in the control file: a room cleared, a member let go.
    func append(_ audit: AuditEntry) throws(ChannelDirectoryError)

    /// The newest entries below `before`, newest first; `nil`: from the newest of all.
    func audit(
        before: Int64?,
        limit: Int,
        matching filter: AuditFilter
    ) throws(ChannelDirectoryError) -> [StoredAuditEntry]
}

/// A token of the admin API as it is stored. The token itself, 32 random bytes, is known only to who was given it: at that
/// length a plain hash is as good as a slow one.
package struct StoredAdminToken: Equatable, Sendable {
    package var name: String
    /// SHA-256 of the token's 32 bytes.
    package var hash: [UInt8]
    package var scopes: Set<AdminScope>
    /// Unix milliseconds.
    package var created: Int64
    /// Unix milliseconds from which on it is not taken any more.
    package var expires: Int64?

    package init(name: String, hash: [UInt8], scopes: Set<AdminScope>, created: Int64, expires: Int64? = nil) {
        self.name = name
        self.hash = hash
        self.scopes = scopes
        self.created = created
        self.expires = expires
    }
}

/// The rights that an admin token gives its bearer.
package enum AdminScope: String, CaseIterable, Sendable {
    case read
    /// Clear rooms, let members go, publish.
    case moderate
    /// Channels, secrets and tokens.
    case manage
}

/// An entry of the audit log: an act, its author, its time and its origin. It never holds a secret or a token.
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
    /// One of these actions.
    package var actions: [String]?

    package init(actor: String? = nil, action: String? = nil, target: String? = nil, actions: [String]? = nil) {
        self.actor = actor
        self.action = action
        self.target = target
        self.actions = actions
    }
}
