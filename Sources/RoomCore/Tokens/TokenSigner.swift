import Crypto
package import RoomModel

/// Makes tokens as an app's backend does.
package struct TokenSigner: Sendable, CustomStringConvertible {
    private let key: SymmetricKey

    /// - Parameter secret: the bytes of its text are the key.
    package init(secret: ChannelSecret) {
        self.init(key: Array(secret.text.utf8))
    }

    init(key: [UInt8]) {
        self.key = SymmetricKey(data: key)
    }

    /// Signs what it is given, which for a token that lets somebody in is a JSON object of claims.
    package func sign(payload: String, header: String = Self.header) -> String {
        self.sign(payload: Array(payload.utf8), header: header)
    }

    package func sign(payload: [UInt8], header: String = Self.header) -> String {
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload)
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: self.key)
        return text + "." + Base64URL.encode(code)
    }

    package static let header = #"{"alg":"HS256","typ":"JWT"}"#

    package var description: String { "(token signer)" }
}
