import RoomCrypto

/// Signs JSON Web Tokens with HS256 (RFC 7515 §3.1, compact serialization; RFC 7518 §3.2).
package struct TokenSigner: Sendable, CustomStringConvertible {
    private let code: HMACSHA256

    /// - Parameter secret: the bytes of its text are the key.
    package init(secret: String) {
        self.init(key: Array(secret.utf8))
    }

    package init(key: [UInt8]) {
        self.code = HMACSHA256(key: key)
    }

    /// Signs what it is given, which for a token that lets somebody in is a JSON object of claims.
    package func sign(payload: String, header: String = Self.header) -> String {
        self.sign(payload: Array(payload.utf8), header: header)
    }

    package func sign(payload: [UInt8], header: String = Self.header) -> String {
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload)
        return text + "." + Base64URL.encode(self.code.code(for: Array(text.utf8)))
    }

    package static let header = #"{"alg":"HS256","typ":"JWT"}"#

    package var description: String { "(token signer)" }
}
