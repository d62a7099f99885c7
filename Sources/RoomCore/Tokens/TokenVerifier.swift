package import NIOCore
import RoomCrypto
package import RoomModel
import RoomTokens

/// Checks the tokens of one channel: JSON Web Tokens (RFC 7519) signed with HS256 and one of the channel's secrets.
///
/// It costs some microseconds and does not wait, so that a connection's event loop does it between two frames.
package struct TokenVerifier: Sendable, CustomStringConvertible {
    private struct Key: Sendable {
        let code: HMACSHA256
        let digest: SHA256Digest
        /// Unix seconds from which on it is not taken any more.
        let expires: Int64?

        func isTaken(at now: Int64) -> Bool { self.expires.map { now < $0 } ?? true }
    }

    private let channel: ChannelID
    private let keys: [Key]
    private let skew: Int64
    private let expressions = ExpressionCache()
    private let accounts = PatternAccounts()
    private let answers = KnownAnswers()
    private let processorClock: ProcessorClock

    /// - Parameters:
    ///   - secrets: the channel's secrets; the bytes of their text are the keys. While one is rotated there are two.
    ///   - skew: seconds by which the clock of who made a token may differ from ours.
    ///   - processorClock: by which the cost of patterns is measured.
    package init(
        channel: ChannelID,
        secrets: [ChannelSecret],
        skew: Int64,
        processorClock: ProcessorClock = .thread
    ) {
        self.channel = channel
        self.processorClock = processorClock
        self.skew = skew
        // An empty key would let everybody sign.
        self.keys = secrets.filter { !$0.text.isEmpty }.map { secret in
            let bytes = Array(secret.text.utf8)
            return Key(code: HMACSHA256(key: bytes), digest: SHA256.hash(bytes), expires: secret.expires)
        }
    }

    /// - Parameters:
    ///   - now: Unix seconds.
    ///   - earlier: of the token that the same client has shown before.
    /// - Throws: `token_invalid` or `token_expired`, with a text that has nothing of the token in it.
    package func verify(
        _ token: String,
        now: Int64,
        after earlier: TokenGrant? = nil
    ) throws(RequestError) -> TokenGrant {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .token("JWT does not have 3 parts") }
        guard token.utf8.count <= TokenLimits.text else {
            throw .token("the token has to be \(TokenLimits.text) bytes at most")
        }
        guard let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .token("the parts of the token have to be base64url without padding") }
        try TokenHeader.check(header)
        guard self.isSigned(token.utf8[..<parts[1].endIndex], signature, now: now) else {
            throw .token("the token's signature is not one with this channel's secret")
        }
        return try self.grant(TokenClaims(payload: payload), now: now, after: earlier)
    }

    /// Whether the text is one of the channel's secrets. How long it takes tells nothing about them.
    package func isSecret(_ text: String, now: Int64) -> Bool {
        let digest = SHA256.hash(Array(text.utf8))
        return self.keys.reduce(false) { found, key in
            let isEqual = key.digest == digest
            return found || (isEqual && key.isTaken(at: now))
        }
    }

    /// Proves to a broker with the same secrets that this one has made the text; `nil` where the channel has no secret.
    package func code(of text: String, now: Int64) -> String? {
        self.keys.first { $0.isTaken(at: now) }.map { Base64URL.encode($0.code.code(for: Array(text.utf8))) }
    }

    /// Whether it is a code that a broker with one of the secrets has made for the text.
    package func isCode(_ code: String, of text: String, now: Int64) -> Bool {
        guard let code = Base64URL.decode(Substring(code).utf8) else { return false }
        return self.isSigned(Substring(text).utf8, code, now: now)
    }

    package var description: String { "(token verifier of \(self.channel))" }

    private func isSigned(_ text: Substring.UTF8View, _ signature: [UInt8], now: Int64) -> Bool {
        let text = Array(text)
        return self.keys.contains { key in key.isTaken(at: now) && key.code.isValid(signature, for: text) }
    }

    private func grant(
        _ claims: TokenClaims,
        now: Int64,
        after earlier: TokenGrant?
    ) throws(RequestError) -> TokenGrant {
        guard let channel = claims.channel else { throw .token("the token has to name its 'channel'") }
        guard channel.utf8.elementsEqual(self.channel.text.utf8) else {
            throw .token("the token's 'channel' has to be the channel that it is used for")
        }
        guard let permissions = claims.permissions, let digest = claims.permissionsDigest else {
            throw .token("the token has to have 'permissions', {} for none")
        }
        guard let exp = claims.expires else {
            throw .token("the token has to have an 'exp': Unix time in seconds")
        }
        let expires = exp + self.skew
        guard now < expires else {
            throw RequestError(.tokenExpired, "the token has expired: show a newer one")
        }
        guard max(claims.notBefore ?? .min, claims.issuedAt ?? .min) <= now + self.skew else {
            throw .token("the token is not valid yet: its 'nbf' and 'iat' must be in the past")
        }
        let user = claims.data.flatMap(UserIdentity.of)
        return TokenGrant(
            clientID: claims.client,
            expires: expires,
            authData: claims.data.map { ByteBuffer(bytes: $0) },
            permissions: PermissionTable(
                permissions,
                expressions: self.expressions,
                account: self.accounts.account(of: user, after: earlier?.permissions.account, now: now),
                known: (answers: self.answers, digest: digest),
                clock: self.processorClock
            ),
            user: user
        )
    }
}

/// The rights that a valid token gives.
package struct TokenGrant: Equatable, Sendable {
    /// The `client` claim: the only `client_id` that may use the token; `nil`: any.
    package let clientID: String?
    /// Unix seconds from which on the token is not taken any more: its `exp`, and the skew that is allowed for.
    package let expires: Int64
    /// The JSON value of the `data` claim, byte for byte, but with line breaks between tokens as spaces.
    package let authData: ByteBuffer?
    package let permissions: PermissionTable
    /// The user that `authData` names; bans and mutes of a user use this name.
    package let user: String?
}

extension RequestError {
    /// The token is not one that lets anybody in; the text says what would be right, and nothing of what is in the token.
    static func token(_ text: String) -> RequestError { RequestError(.tokenInvalid, text) }
}
