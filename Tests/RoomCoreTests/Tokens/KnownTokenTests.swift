import NIOCore
import RoomModel
import Testing

@testable import RoomCore

/// Tokens that other libraries made.
struct KnownTokenTests {
    @Test func `the signature of the example on jwt.io holds`() {
        let verifier = TokenSample.verifier([ChannelSecret(text: "your-256-bit-secret")])
        let error = #expect(throws: RequestError.self) {
            try verifier.verify(
                "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
                    + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
                    + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
                now: 1_600_000_000
            )
        }
        #expect(error?.text == "the token has to name its 'channel'")
    }

    /// Made by PyJWT 2.15.1 with the secret of ``TokenSample``.
    @Test func `a token of PyJWT lets in`() throws {
        let grant = try TokenSample.verifier().verify(
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJjbGllbnQiOiJjMSIsImNoYW5uZWwiOiJhcHAiLCJleHAiOjIwMDAsImlhdCI6OTAwLCJk"
                + "YXRhIjp7Im5hbWUiOiJcdTAwYzRubiIsIm4iOjEuNX0sInBlcm1pc3Npb25zIjp7Il5yb29tLVxcZCskIjp7InB1Ymxpc2giOn"
                + "RydWUsInN1YnNjcmliZSI6dHJ1ZSwiaGlzdG9yeSI6MTAwfSwiLioiOnsic3Vic2NyaWJlIjp0cnVlfX19"
                + ".KDUJ0YDSydqp_7uwzoX7sNggVhveszsD_xyQL-hrc2w",
            now: 1000
        )
        #expect(grant.clientID == "c1")
        #expect(grant.authData.map { String(buffer: $0) } == #"{"name":"\u00c4nn","n":1.5}"#)
        #expect(
            grant.permissions.permission(for: RoomName("room-7"))
                == RoomPermission(publish: true, subscribe: true, history: 100)
        )
        #expect(grant.permissions.permission(for: RoomName("x")) == RoomPermission(subscribe: true))
    }

    @Test(arguments: [
        "eyJhbGciOiJIUzM4NCIsInR5cCI6IkpXVCJ9.eyJjaGFubmVsIjoiYXBwIiwiZXhwIjoyMDAwLCJwZXJtaXNzaW9ucyI6e319"
            + ".BORSu5XVwrHlYscn6TbANkVO856szY_rylV1oXAF1CJDQOL7FPW0RdPFS4lkXcSO",
        "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJjaGFubmVsIjoiYXBwIiwiZXhwIjoyMDAwLCJwZXJtaXNzaW9ucyI6e319.",
    ])
    func `tokens of PyJWT with HS384 and with none do not`(token: String) {
        let error = #expect(throws: RequestError.self) { try TokenSample.verifier().verify(token, now: 1000) }
        #expect(error?.text.contains("HS256") == true)
    }
}
