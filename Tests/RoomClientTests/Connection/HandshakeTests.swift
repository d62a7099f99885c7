import NIOCore
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct HandshakeTests {
    @Test func `the first handshake says who the client is and asks to come back later`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON(#"{"name":"Ann"}"#)) { $0.heartbeat = .seconds(9) }
            client.startConnecting()
            let handshake = try await broker.accept().handshake().body
            #expect(handshake.channel == "test")
            #expect(handshake.clientData.map { String(buffer: $0) } == #"{"name":"Ann"}"#)
            #expect(handshake.resumable)
            #expect(handshake.resume == nil && handshake.token == nil)
            #expect(handshake.heartbeat == 9)
        }
    }

    @Test(arguments: [(Duration.zero, 1), (.milliseconds(1_900), 1), (.seconds(86_400), 3_600)])
    func `the heartbeat is one that a broker takes`(heartbeat: Duration, seconds: Int) async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.heartbeat = heartbeat }
            client.startConnecting()
            #expect(try await broker.accept().handshake().body.heartbeat == seconds)
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
                #expect(await client.state() == "connected ann")
                try await link.lose()
            }
        }
    }

    @Test func `a session that could not be resumed is another one`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            try await broker.welcome(clientID: "ann").lose()
            let link = try await broker.accept()
            try await link.welcome(link.handshake(), clientID: "bob", resumeToken: nil, resumed: false)
            #expect(client.clientID == "bob")
            try await link.lose()
            #expect(try await broker.accept().handshake().body.resume == nil)
        }
    }

    @Test func `a client that does not ask for it is another one after a lost connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.isResumable = false }
            client.startConnecting()
            let link = try await broker.accept()
            let handshake = try await link.handshake()
            #expect(handshake.body.resumable == false)
            try await link.welcome(handshake, clientID: "ann", resumeToken: nil)
            try await link.lose()
            #expect(try await broker.accept().handshake().body.resume == nil)
        }
    }

    @Test func `nothing is asked before the handshake is answered`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let link = try await broker.accept()
            let handshake = try await link.handshake()
            #expect(await link.unreadKinds() == [])
            try await link.welcome(handshake)
            #expect(await link.unreadKinds() == ["subscribe", "publish"])
            withExtendedLifetime((joining, publishing)) {}
        }
    }

    @Test func `a refusal that may pass is tried again when the broker says`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.accept()
            try await link.refuse(link.handshake(), .tooManyConnections, retryAfter: 3_000)
            #expect(await client.state() == "waiting too_many_connections")
            #expect(link.isClosed)
            await broker.advance(.milliseconds(2_999))
            #expect(await broker.attemptsWaiting() == 0)
            await broker.advance(.milliseconds(1))
            _ = try await broker.welcome()
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `a refusal for good closes the client`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let connecting = Task { try await client.connect() }
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let link = try await broker.accept()
            try await link.refuse(link.handshake(), .unknownChannel)
            #expect(await failure { try await connecting.value }?.code == .unknownChannel)
            #expect(await failure { try await publishing.value() }?.code == .unknownChannel)
            #expect(await failure { try await client.connect() }?.code == .unknownChannel)
            #expect(await client.state() == "closed unknown_channel")
            #expect(await broker.attemptsWaiting() == 0)
        }
    }

    @Test(arguments: ["", #","client_id":7"#])
    func `an answer that is none is a failed attempt`(fields: String) async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.backoff = Backoff(base: .seconds(1)) }
            client.startConnecting()
            let link = try await broker.accept()
            let callback = try await link.handshake().callback ?? -1
            try await link.sendBytes(#"{"callback":\#(callback)\#(fields)}"# + "\n")
            #expect(await client.state() == "waiting protocol_violation")
        }
    }
}
