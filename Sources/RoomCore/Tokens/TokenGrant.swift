package import NIOCore

/// What a valid token allows.
package struct TokenGrant: Equatable, Sendable {
    /// The `client` claim: the only `client_id` that may use the token; `nil`: any.
    package let clientID: String?
    /// Unix seconds from which on the token is not taken any more: its `exp`, and the skew that is allowed for.
    package let expires: Int64
    /// The JSON value of the `data` claim, byte for byte, but with line breaks between tokens as spaces.
    package let authData: ByteBuffer?
    package let permissions: PermissionTable
    /// Whom `authData` names: what bans and mutes of a user go by.
    package let user: String?

    package init(clientID: String?, expires: Int64, authData: ByteBuffer?, permissions: PermissionTable) {
        self.clientID = clientID
        self.expires = expires
        self.authData = authData
        self.permissions = permissions
        self.user = authData.flatMap { UserIdentity.of(Array($0.readableBytesView)) }
    }
}
