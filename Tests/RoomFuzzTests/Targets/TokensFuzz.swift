import Foundation
import NIOCore
import RoomCore
import RoomModel
import RoomTokens

/// A token that was not signed lets nobody in. A signed one lets in only whom its claims name, as Foundation reads them.
enum TokensFuzz: FuzzTarget {
    static let name = "tokens"
    private static let secret = "correct-horse-battery-staple-0123456789ab"
    private static let channel = "app"
    private static let now: Int64 = 1_000

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        try self.checkBase64(bytes)
        guard let channel = ChannelID(self.channel) else { throw BrokenInvariant(description: "no channel") }
        let verifier = TokenVerifier(channel: channel, secrets: [ChannelSecret(text: self.secret)], skew: 5)
        switch (Result { () throws(RequestError) in try verifier.verify(bytes.text, now: self.now) }) {
        case .success: throw BrokenInvariant(description: "a token that was not signed")
        case .failure(let error): try self.check(error)
        }
        let token = TokenSigner(secret: self.secret).sign(payload: Array(bytes))
        let grant: TokenGrant
        do throws(RequestError) {
            grant = try verifier.verify(token, now: self.now)
        } catch {
            return try self.check(error)
        }
        _ = grant.permissions.permission(for: RoomName("room-1"))
        try self.compare(grant, with: bytes)
    }

    private static func check(_ error: RequestError) throws {
        try demand(
            error.code == .tokenInvalid || error.code == .tokenExpired,
            "refused as \(error.code): \(error.text)"
        )
        try demand(error.text.isOneSafeLine, "an error of more than one line")
    }

    private static func compare(_ grant: TokenGrant, with payload: UnsafeRawBufferPointer) throws {
        try demand(grant.expires > self.now, "an expired token")
        // Foundation refuses what we need not read.
        guard let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] else { return }
        try demand(object["channel"] as? String == self.channel, "a token for another channel")
        try demand(object["client"] as? String == grant.clientID, "a token for another client")
        try demand(object["permissions"] is [String: Any], "a token without permissions")
        if let data = grant.authData {
            try demand(!data.readableBytesView.contains(UInt8(ascii: "\n")), "a line break in the data of a token")
        }
    }

    /// One text for the same bytes, so that a token cannot be varied.
    private static func checkBase64(_ bytes: UnsafeRawBufferPointer) throws {
        let encoded = Base64URL.encode(bytes)
        try demand(Base64URL.decode(encoded[...].utf8) == Array(bytes), "base64url of \(bytes.count) bytes")
        let text = bytes.text
        guard let decoded = Base64URL.decode(text[...].utf8) else { return }
        try demand(Base64URL.encode(decoded) == text, "another text for the same bytes: \(text)")
    }
}
