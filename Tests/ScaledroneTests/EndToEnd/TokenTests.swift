import RoomModel
import RoomTestKit
import Scaledrone
import Testing

/// `authenticate(jwt:)` in a channel that wants tokens.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport, .enabled(if: BrokerProcess.isAllowed))
struct TokenTests {
    private static let flags = ["--channel", "default,auth=required,history=1000", "--token-skew", "0s"]

    @Test
    func `a token lets the app in, and is shown again after a restart of the broker`() async throws {
        try await Network.with(flags: Self.flags) { network in
            let mint = try network.broker.tokens()
            let witness = Witness()
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            #expect(await witness.next() == .connected(nil))
            scaledrone.authenticate(jwt: mint.token())
            #expect(await witness.next() == .authenticated(nil))
            witness.subscribe(to: "lobby", with: scaledrone)
            #expect(await witness.next() == .roomConnected("lobby", nil))
            scaledrone.publish(message: "hello", room: "lobby")
            #expect(await witness.next() == .message("hello", from: nil))
            try await network.takeDown()
            try await network.bringBack()
            scaledrone.publish(message: "again", room: "lobby")
            #expect(await witness.next() == .message("again", from: nil))
        }
    }

    @Test
    func `a token for this client_id is taken, one for another is not`() async throws {
        try await Network.with(flags: Self.flags) { network in
            let mint = try network.broker.tokens()
            let witness = Witness()
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            #expect(await witness.next() == .connected(nil))
            scaledrone.authenticate(jwt: mint.token(client: "another"))
            #expect(await witness.next() == .authenticated("token_invalid"))
            scaledrone.authenticate(jwt: TokenMint(channel: "default", secret: ChannelSecret(text: "guessed")).token())
            #expect(await witness.next() == .authenticated("token_invalid"))
            scaledrone.authenticate(jwt: mint.token(validFor: -60))
            #expect(await witness.next() == .authenticated("token_expired"))
            scaledrone.authenticate(jwt: mint.token(client: scaledrone.clientID))
            #expect(await witness.next() == .authenticated(nil))
        }
    }

    @Test
    func `without a token rooms and messages are refused as Scaledrone refuses them`() async throws {
        try await Network.with(flags: Self.flags) { network in
            let witness = Witness(rooms: "lobby")
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            #expect(
                await witness.next(2) == [.connected(nil), .roomConnected("lobby", "authentication_required")]
            )
            scaledrone.publish(message: "hello", room: "lobby")
            #expect(await witness.next() == .failed("authentication_required", room: "lobby"))
            #expect(witness.lastText == "Unauthorized")
        }
    }

    @Test
    func `what a token forbids is an error of its own, and a room that it takes away is told`() async throws {
        try await Network.with(flags: Self.flags) { network in
            let mint = try network.broker.tokens()
            let witness = Witness()
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            #expect(await witness.next() == .connected(nil))
            scaledrone.authenticate(jwt: mint.token())
            #expect(await witness.next() == .authenticated(nil))
            witness.subscribe(to: "lobby", with: scaledrone)
            #expect(await witness.next() == .roomConnected("lobby", nil))
            scaledrone.authenticate(jwt: mint.token(permissions: #"{"^attic$":{"subscribe":true}}"#))
            // Between rooms and the rest there is no order.
            #expect(
                Set(await witness.next(2)) == [.authenticated(nil), .failed("permission_denied", room: "lobby")]
            )
            witness.subscribe(to: "lobby", with: scaledrone)
            #expect(await witness.next() == .roomConnected("lobby", "permission_denied"))
            witness.subscribe(to: "attic", with: scaledrone)
            #expect(await witness.next() == .roomConnected("attic", nil))
            scaledrone.publish(message: "hello", room: "attic")
            #expect(await witness.next() == .failed("permission_denied", room: "attic"))
        }
    }
}
