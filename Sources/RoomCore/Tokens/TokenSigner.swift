import Crypto
package import RoomModel

/// Makes tokens as an app's backend does.
package struct TokenSigner: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: the bytes of its text are the key.
    package init(secret: ChannelSecret) {
        self.key = SymmetricKey(data: Array(secret.text.utf8))
    }

    /// Signs what it is given, which for a token that lets somebody in is a JSON object of claims.
    package func sign(payload: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#) -> String {
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: self.key)
        return text + "." + Base64URL.encode(code)
    }
}
