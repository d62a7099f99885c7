import RoomCore
import RoomModel
import RoomTestKit
import RoomTokens

/// Tokens of the channel `app`, and its verifier.
enum TokenSample {
    static let secret = ChannelSecret(text: "correct-horse-battery-staple-0123456789ab")

    static func verifier(_ secrets: [ChannelSecret] = [Self.secret], skew: Int64 = 5) -> TokenVerifier {
        TokenVerifier(channel: .make("app"), secrets: secrets, skew: skew)
    }

    static func sign(
        _ payload: String,
        header: String = #"{"alg":"HS256","typ":"JWT"}"#,
        with secret: ChannelSecret = Self.secret
    ) -> String {
        TokenSigner(secret: secret.text).sign(payload: payload, header: header)
    }

    /// What a token with these permissions lets its member do in the room.
    static func permission(_ permissions: String, in room: String) throws(RequestError) -> RoomPermission {
        let token = Self.sign(#"{"channel":"app","exp":2000,"permissions":\#(permissions)}"#)
        return try Self.verifier().verify(token, now: 1000).permissions.permission(for: RoomName(room))
    }
}
