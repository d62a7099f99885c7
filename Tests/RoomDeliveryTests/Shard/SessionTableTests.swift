import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct SessionTableTests {
    private static func session(_ client: String, channel: String = "test") -> ResumedSession {
        ResumedSession(channel: .make(channel), clientID: ClientID(client), clientData: nil, rooms: [])
    }

    @Test func `a token gives the connection, then the session that lingers, and that once`() {
        var sessions = SessionTable()
        sessions.issue("t", to: 7)
        guard case .connection(7) = sessions.holder(of: "t") else {
            Issue.record("not the connection's")
            return
        }
        sessions.forget("t")
        _ = sessions.linger("t", Self.session("ann"))
        #expect(sessions.isLingering("t"))
        guard case .lingering(let session) = sessions.holder(of: "t") else {
            Issue.record("does not linger")
            return
        }
        sessions.forget("t")
        #expect(session == Self.session("ann"))
        #expect(sessions.expire("t") == nil)
    }

    @Test func `a revoked session ends, here and on its way`() {
        var sessions = SessionTable()
        _ = sessions.linger("a", Self.session("ann"))
        _ = sessions.linger("b", Self.session("bob"))
        _ = sessions.linger("c", Self.session("ann", channel: "plain"))
        let ended = sessions.revoke(ClientID("ann"), in: .make())
        #expect(ended == Self.session("ann"))
        let areRevoked = [Self.session("ann"), Self.session("bob")].map { sessions.isRevoked($0) }
        #expect(areRevoked == [true, false])
        let wasOnItsWay = sessions.revocationEnded(ClientID("ann"), in: .make())
        #expect(wasOnItsWay)
        let isStillRevoked = sessions.isRevoked(Self.session("ann"))
        #expect(!isStillRevoked)
        #expect(sessions.isLingering("b"))
        #expect(sessions.isLingering("c"))
    }
}
