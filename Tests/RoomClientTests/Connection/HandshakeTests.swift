import NIOCore
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(1)))
struct HandshakeTests {
    @Test func `the first handshake says who the client is and asks to come back later`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON(#"{"name":"Ann"}"#)) { $0.heartbeat = .seconds(9) }
            client.startConnecting()
            let handshake = try await broker.accept().handshake().body
            #expect(handshake.channel == "test")
            #expect(handshake.clientData.map { String(buffer: $0) } == #"{"name":"Ann"}"#)
            #expect(handshake.resumable)
            #expect(handshake.resume == nil)
            #expect(handshake.heartbeat == 9)
        }
    }

    @Test func `the next handshake resumes the session with the token of the last`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            for number in 1...3 {
                let link = try await broker.accept()
                let handshake = try await link.handshake()
                #expect(handshake.body.resume == (number == 1 ? nil : "token-\(number - 1)"))
                try await link.welcome(handshake, clientID: "ann", resumeToken: "token-\(number)")
                #expect(client.clientID == "ann")
                try await link.lose()
            }
        }
    }
}
