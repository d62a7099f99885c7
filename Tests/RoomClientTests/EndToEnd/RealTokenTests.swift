import NIOConcurrencyHelpers
import RoomClient
import RoomModel
import RoomTestKit
import Testing

/// Tokens and the real broker: who comes in, and who stays.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport, .enabled(if: BrokerProcess.isAllowed))
struct RealTokenTests {
    @Test func `a provider signs for each connection, also after kill -9`() async throws {
        try await TokenNetwork.with { network in
            let asked = NIOLockedValueBox<[String]>([])
            let client = try network.client { [mint = network.mint] clientID in
                asked.withLockedValue { $0.append(clientID) }
                return mint.token(client: clientID, data: #"{"role":"host"}"#)
            }
            try await client.withConnection { client in
                let room = try await client.join("observable-lobby", of: String.self)
                try await room.publish("before")
                try await network.restart()
                try await room.publish("after")
                let messages = await Self.read(2, of: room)
                #expect(messages.map(\.text) == ["before", "after"])
                #expect(
                    messages.map { $0.member?.authData?.description } == Array(repeating: #"{"role":"host"}"#, count: 2)
                )
                #expect(messages.map(\.isOwn) == [true, true])
                #expect(asked.withLockedValue { Set($0) } == Set(messages.compactMap { $0.member?.id }))
            }
        }
    }

    @Test func `a fixed token lets a client in again and again`() async throws {
        try await TokenNetwork.with { network in
            try await network.client(token: network.mint.token()).withConnection { client in
                let room = try await client.join("lobby", of: String.self)
                try await room.publish("before")
                try await network.restart()
                try await room.publish("after")
                #expect(await Self.read(2, of: room).map(\.text) == ["before", "after"])
            }
        }
    }

    @Test func `a session that is resumed keeps its token's client`() async throws {
        try await TokenNetwork.with { network in
            try await network.client(token: nil).withConnection { client in
                let clientID = try await client.connect()
                try await client.authenticate(network.mint.token(client: clientID))
                let room = try await client.join("lobby", of: String.self)
                try await network.dropConnections()
                try await room.publish("after")
                #expect(client.clientID == clientID)
                #expect(await Self.read(1, of: room).map(\.text) == ["after"])
                #expect(try await network.connections() == 2)
            }
        }
    }

    @Test func `an expired token is renewed without a new connection`() async throws {
        try await TokenNetwork.with(settings: ",token-expiry=live") { network in
            let (asked, ask) = AsyncStream.makeStream(of: Int.self)
            let count = NIOLockedValueBox(0)
            let client = try network.client { [mint = network.mint] clientID in
                let number = count.withLockedValue { count in
                    count += 1
                    return count
                }
                ask.yield(number)
                return mint.token(client: clientID, validFor: number == 1 ? 1 : 3_600)
            }
            // On a very slow machine the first token has expired before it was shown: `join` tries again, `connect` does not.
            let room = try await client.join("lobby", of: String.self)
            let connections = try await network.connections()
            try await room.publish("1")
            for await number in asked where number == 2 { break }
            try await room.publish("2")
            #expect(await Self.read(2, of: room).map(\.text) == ["1", "2"])
            #expect(try await room.history().messages.map(\.text) == ["1", "2"])
            #expect(try await network.connections() == connections)
            await client.close()
        }
    }

    @Test func `what no broker would take ends the client and says why`() async throws {
        try await TokenNetwork.with { network in
            let forged = TokenMint(channel: "default", secret: ChannelSecret(text: "guessed")).token()
            let elsewhere = try TokenMint(channel: "other", secret: network.broker.secret()).token()
            let late = network.mint.token(validFor: -60)
            let another = network.mint.token(client: "somebody-else")
            let expected: [(String, RoomClientError.Code)] = [
                (forged, .tokenInvalid), (elsewhere, .tokenInvalid), (late, .tokenExpired), (another, .tokenInvalid),
                ("not-a-token", .tokenInvalid),
            ]
            for (token, code) in expected {
                let clients =
                    [try network.client(token: token)]
                    + (code == .tokenInvalid ? [try network.client { _ in token }] : [])
                for client in clients {
                    #expect(await failure { try await client.connect() }?.code == code)
                    #expect(await client.state() == "closed \(code)")
                    #expect(await failure { try await client.join("lobby") }?.code == code)
                }
            }
        }
    }

    @Test func `without a token nothing is let through until one is shown`() async throws {
        try await TokenNetwork.with { network in
            try await network.client(token: nil).withConnection { client in
                let join = await failure { try await client.join("lobby") }
                #expect(join?.code == .authenticationRequired)
                #expect(join?.message.contains("wants an access token") == true)
                #expect(await failure { try await client.publish("x", to: "lobby") }?.code == .authenticationRequired)
                #expect(await failure { try await client.authenticate("aaa.bbb.ccc") }?.code == .tokenInvalid)
                try await client.authenticate(network.mint.token())
                let room = try await client.join("lobby", of: String.self)
                #expect(try await room.publish("now").seq == 1)
            }
        }
    }

    /// The next messages.
    private static func read(_ count: Int, of room: Room<String>) async -> [RoomMessage<String>] {
        var messages: [RoomMessage<String>] = []
        for await message in room.messages {
            messages.append(message)
            if messages.count == count { break }
        }
        return messages
    }
}
