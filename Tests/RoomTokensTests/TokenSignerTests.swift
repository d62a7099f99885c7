import Testing

@testable import RoomTokens

struct TokenSignerTests {
    /// RFC 7515, appendix A.1. Its key is not text.
    @Test func `the example of RFC 7515 is signed the same`() throws {
        let key = try #require(
            Base64URL.decode(
                Substring("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow").utf8
            )
        )
        let token = TokenSigner(key: key).sign(
            payload: Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8),
            header: "{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}"
        )
        #expect(
            token == "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
                + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
                + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
    }

    /// The example on jwt.io.
    @Test func `the text of the secret is the key`() {
        let token = TokenSigner(secret: "your-256-bit-secret").sign(
            payload: #"{"sub":"1234567890","name":"John Doe","iat":1516239022}"#
        )
        #expect(
            token == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
                + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
                + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
        )
    }
}
