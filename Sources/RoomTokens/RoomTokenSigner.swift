public import Foundation

/// Makes the access tokens of one channel, in an app's backend: it has the channel's secret and knows who is logged in.
///
/// ```swift
/// let signer = try RoomTokenSigner(channel: "shop", secret: secret)
/// let token = try signer.token(
///     for: clientID,
///     permissions: [.exactly("lobby"): RoomPermissions(publish: true, subscribe: true, history: 100)],
///     data: ["id": "luke", "name": "Luke"]
/// )
/// ```
///
/// A token is a JSON Web Token (RFC 7519) in the compact form of RFC 7515 §3.1, signed with HS256 (RFC 7518 §3.2).
public struct RoomTokenSigner: Sendable {
    /// The id of the channel.
    public let channel: String
    private let signer: TokenSigner

    /// - Parameters:
    ///   - channel: the id of the channel.
    ///   - secret: the channel's secret, as the broker has shown it: it is not decoded. Keep it out of apps, since everybody who
    ///     has it can make every token. RFC 7518 §3.2 asks for 32 bytes or more.
    /// - Throws: ``RoomTokenError/emptySecret``.
    public init(channel: String, secret: String) throws(RoomTokenError) {
        // An empty key would let everybody sign.
        guard !secret.isEmpty else { throw .emptySecret }
        self.channel = channel
        self.signer = TokenSigner(secret: secret)
    }

    /// Makes a token without data about the member.
    ///
    /// - Parameters:
    ///   - clientID: the only `client_id` that may use the token, which a token provider of `RoomClient` gets as its argument
    ///     (the claim `client`). `nil`: every client may use it; the handshake needs such a token.
    ///   - permissions: what the token allows, in which rooms. Nothing else is allowed.
    ///   - lifetime: the time until the token expires (the claim `exp`, RFC 7519 §4.1.4), in whole seconds; 1 second or more. It ends in the
    ///     year 9999 at the latest.
    ///   - now: the time at which the token is made (the claim `iat`, RFC 7519 §4.1.6).
    /// - Throws: ``RoomTokenError``, if the broker would reject the token.
    public func token(
        for clientID: String? = nil,
        permissions: [RoomNames: RoomPermissions],
        expiresIn lifetime: Duration = .seconds(300),
        now: Date = Date()
    ) throws(RoomTokenError) -> String {
        try self.token(for: clientID, permissions: permissions, data: String?.none, expiresIn: lifetime, now: now)
    }

    /// Makes a token with data about the member.
    ///
    /// - Parameters:
    ///   - clientID: the only `client_id` that may use the token, which a token provider of `RoomClient` gets as its argument
    ///     (the claim `client`). `nil`: every client may use it; the handshake needs such a token.
    ///   - permissions: what the token allows, in which rooms. Nothing else is allowed.
    ///   - data: what the backend vouches for, at most 2 KiB of JSON. The other members get it as the member's `authData`. Its
    ///     `id`, `user_id` or `sub`, or the data itself if it is a string or a number, is the user for bans and mutes.
    ///   - lifetime: the time until the token expires (the claim `exp`, RFC 7519 §4.1.4), in whole seconds; 1 second or more. It ends in the
    ///     year 9999 at the latest.
    ///   - now: the time at which the token is made (the claim `iat`, RFC 7519 §4.1.6).
    /// - Throws: ``RoomTokenError``, if the broker would reject the token.
    public func token<MemberData: Encodable>(
        for clientID: String? = nil,
        permissions: [RoomNames: RoomPermissions],
        data: MemberData?,
        expiresIn lifetime: Duration = .seconds(300),
        now: Date = Date()
    ) throws(RoomTokenError) -> String {
        guard lifetime >= .seconds(1) else { throw .tooShort(lifetime) }
        try RoomNames.check(permissions.keys)
        let issued = Int64(now.timeIntervalSince1970)
        let (end, isTooLate) = issued.addingReportingOverflow(lifetime.components.seconds)
        let claims = Claims(
            channel: self.channel,
            client: clientID,
            iat: issued,
            exp: isTooLate ? Self.latestExpiry : min(end, Self.latestExpiry),
            data: data,
            permissions: Dictionary(uniqueKeysWithValues: permissions.map { ($0.key.pattern, $0.value) })
        )
        if let data {
            let size = try Self.json(data).count
            guard size <= Self.longestData else { throw .dataTooLarge(bytes: size) }
        }
        let token = self.signer.sign(payload: try Self.json(claims))
        guard token.utf8.count <= Self.longestToken else { throw .tokenTooLarge(bytes: token.utf8.count) }
        return token
    }

    /// The last second of the year 9999, which means "never". A broker takes much larger numbers for milliseconds.
    private static let latestExpiry: Int64 = 253_402_300_799

    private struct Claims<MemberData: Encodable>: Encodable {
        let channel: String
        let client: String?
        let iat: Int64
        let exp: Int64
        let data: MemberData?
        let permissions: [String: RoomPermissions]
    }

    private static func json(_ value: some Encodable) throws(RoomTokenError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw .encodingFailed(String(describing: type(of: value)), error)
        }
    }

    private static let longestData = 2 * 1024
    private static let longestToken = 16 * 1024
}

extension RoomTokenSigner: CustomStringConvertible {
    /// The channel, and nothing of the secret.
    public var description: String { "(token signer of \(self.channel))" }
}
