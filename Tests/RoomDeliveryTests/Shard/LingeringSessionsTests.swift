import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// The bound of sessions in their grace period, in entries.
struct LingeringSessionsTests {
    private static func session(_ client: Int, rooms: Int = 3, from address: String? = nil) -> ResumedSession {
        ResumedSession(
            channel: .make("test"),
            clientID: ClientID("\(client)"),
            clientData: nil,
            address: address.flatMap { IPAddress($0) },
            rooms: (0..<rooms).map { RoomName("\($0)") }
        )
    }

    private static func names(_ sessions: [ResumedSession]) -> [String] { sessions.map(\.clientID.text) }

    @Test func `a session and each of its rooms are an entry, and the oldest sessions end`() {
        var sessions = LingeringSessions(limit: 100)
        var ended: [String] = []
        for number in 0..<1_000 {
            ended += Self.names(sessions.add(Self.session(number), token: "t\(number)"))
            #expect(sessions.entries <= 100)
        }
        #expect(ended == (0..<975).map { "\($0)" })
        #expect(!sessions.contains("t974"))
        #expect(sessions.contains("t975"))
        #expect(sessions.remove("t975")?.clientID == ClientID("975"))
        #expect(sessions.entries == 96)
    }

    @Test func `an address has a quarter, and its own oldest session ends`() {
        var sessions = LingeringSessions(limit: 100)
        _ = sessions.add(Self.session(0, from: "198.51.100.7"), token: "other")
        var ended: [String] = []
        for number in 1...100 {
            let address = "2001:db8::\(String(number, radix: 16))"
            ended += Self.names(sessions.add(Self.session(number, from: address), token: "t\(number)"))
        }
        #expect(ended == (1...94).map { "\($0)" })
        #expect(sessions.contains("other"))
        #expect(sessions.entries == 28)
        for number in 95...100 { _ = sessions.remove("t\(number)") }
        #expect(sessions.entries == 4)
    }

    @Test func `the data of a session counts too`() {
        var sessions = LingeringSessions(limit: 100)
        let session = ResumedSession(
            channel: .make("test"),
            clientID: ClientID("ann"),
            clientData: ByteBuffer(repeating: 0x20, count: 2_048),
            rooms: [RoomName("room")]
        )
        _ = sessions.add(session, token: "t")
        #expect(sessions.entries == 6)
    }

    @Test func `a look at all of them misses none, whatever comes and goes meanwhile`() {
        var sessions = LingeringSessions(limit: .max)
        for number in 0..<1_000 { _ = sessions.add(Self.session(number), token: "t\(number)") }
        var (sweep, ended, looks) = (sessions.sweep, Set<String>(), 0)
        while !sweep.isDone {
            let some = sessions.removeSome(of: &sweep, 64) { session in
                looks += 1
                return Int(session.clientID.text).map { $0 < 1_000 && $0 % 3 == 0 } ?? false
            }
            ended.formUnion(Self.names(some))
            // the gaps are closed
            for number in 400..<900 where number % 3 > 0 { _ = sessions.remove("t\(number)") }
            _ = sessions.add(Self.session(1_000 + looks), token: "new\(looks)")
        }
        #expect(ended.count == 334)
        #expect(looks < 2_000)
    }

    @Test func `this machine has no part of its own`() {
        var sessions = LingeringSessions(limit: 100)
        for number in 0..<25 { _ = sessions.add(Self.session(number, from: "127.0.0.1"), token: "t\(number)") }
        #expect(sessions.count == 25)
    }

    @Test func `a session that is larger than the limit has no grace`() {
        var sessions = LingeringSessions(limit: 100)
        #expect(Self.names(sessions.add(Self.session(1, rooms: 100), token: "t")) == ["1"])
        #expect(sessions.entries == 0)
    }
}
