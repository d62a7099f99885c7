/// The port to the admin tokens and the audit log, which lie in the control file beside the channels. What
/// `ChannelDirectory` says of its calls holds for these.
package protocol AdminDirectory: Sendable {
    /// All tokens, ordered by name, also expired ones.
    func adminTokens() throws(ChannelDirectoryError) -> [AdminToken]

    /// Throws `.exists` where there is a token of this name.
    func add(_ token: AdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError)

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
