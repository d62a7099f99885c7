import NIOCore
import RoomCore
import RoomModel
import Testing

struct TokenVerifierTests {
    @Test func `a signed token says who, until when, with what and where`() throws {
        let token = TokenSample.sign(
            #"{"client":"c1","channel":"app","exp":2000,"data":{"n": 1.0},"permissions":{"^a$":{"publish":true}}}"#
        )
        let grant = try TokenSample.verifier().verify(token, now: 1000)
        #expect(grant.clientID == "c1")
        #expect(grant.expires == 2005)
        #expect(grant.authData == ByteBuffer(string: #"{"n": 1.0}"#))
        #expect(grant.permissions.permission(for: RoomName("a")) == RoomPermission(publish: true))
        #expect(grant.permissions.permission(for: RoomName("b")) == .nothing)
    }
}
