/// A token of the admin API as it is stored. The token itself, 32 random bytes, is known only to who was given it: at that
/// length a plain hash is as good as a slow one.
package struct AdminToken: Equatable, Sendable {
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

/// What an admin token lets its bearer do.
package enum AdminScope: String, CaseIterable, Sendable {
    case read
    /// Clear rooms, let members go, publish.
    case moderate
    /// Channels, secrets and tokens.
    case manage
}
