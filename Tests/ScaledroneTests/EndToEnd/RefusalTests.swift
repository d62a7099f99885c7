import Foundation
import RoomClient
import RoomTestKit
import Scaledrone
import Testing

/// What the broker, or the client before it, does not take.
@Suite(.timeLimit(.minutes(5)), .enabled(if: BrokerProcess.isAllowed))
struct RefusalTests {
    @Test
    func `a client that the broker does not want is told so, and then asks in vain`() async throws {
        try await Network.with { network in
            let witness = Witness()
            let scaledrone = network.client("Luke", of: witness, channel: "nowhere")
            let room = witness.subscribe(to: "lobby", with: scaledrone)
            scaledrone.connect()
            #expect(
                await witness.next(3) == [
                    .connected("unknown_channel"), .roomConnected("lobby", "unknown_channel"),
                    .disconnected("unknown_channel"),
                ]
            )
            room.publish(message: "hello")
            witness.subscribe(to: "attic", with: scaledrone)
            scaledrone.authenticate(jwt: "aaa.bbb.ccc")
            #expect(
                await witness.next(3) == [
                    .failed("unknown_channel", room: "lobby"), .roomConnected("attic", "unknown_channel"),
                    .authenticated("unknown_channel"),
                ]
            )
        }
    }

    @Test(arguments: [
        ("https://api.scaledrone.com/v3/websocket", "name" as String?, "invalid_url"),
        ("tcp://127.0.0.1:10000", nil, "encoding_failed"),
    ])
    func `what no broker could take is told without one`(url: String, name: String?, code: String) async {
        let witness = Witness()
        let scaledrone = Scaledrone(channelID: "default", url: url, data: name ?? (Date() as Any))
        scaledrone.delegate = witness
        scaledrone.connect()
        #expect(await witness.next(2) == [.connected(code), .disconnected(code)])
        scaledrone.connect()
        #expect(await witness.next(2) == [.connected(code), .disconnected(code)])
    }

    @Test
    func `a room that cannot be subscribed to says why, and the others go on`() async throws {
        try await Network.with(flags: ["--max-rooms-per-connection", "1"]) { network in
            let witness = Witness(rooms: "lobby", "attic")
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            #expect(await witness.next() == .connected(nil))
            // Between rooms there is no order.
            #expect(
                Set(await witness.next(2)) == [.roomConnected("lobby", nil), .roomConnected("attic", "too_many_rooms")]
            )
            scaledrone.publish(message: "hello", room: "lobby")
            #expect(await witness.next() == .message("hello", from: nil))
        }
    }

    @Test
    func `a message that cannot be published is an error, and the next one goes out`() async throws {
        try await Network.with { network in
            let witness = Witness(rooms: "lobby")
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.publish(message: "too early", room: "lobby")
            #expect(await witness.next() == .failed("not_connected", room: "lobby"))
            scaledrone.connect()
            await witness.wait(for: .roomConnected("lobby", nil))
            scaledrone.publish(message: Date(), room: "lobby")
            #expect(await witness.next() == .failed("encoding_failed", room: "lobby"))
            scaledrone.publish(message: String(repeating: "x", count: 70_000), room: "lobby")
            #expect(await witness.next() == .failed("message_too_large", room: "lobby"))
            scaledrone.publish(message: "hello", room: "lobby")
            #expect(await witness.next() == .message("hello", from: nil))
        }
    }

    @Test
    func `a message that Foundation cannot read is an error, and the next one comes`() async throws {
        try await Network.with { network in
            let witness = Witness(rooms: "lobby")
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            await witness.wait(for: .roomConnected("lobby", nil))
            let other = try RoomClient(network.url, channel: "default", member: "Leia")
            try await other.publish(JSON("1e400"), to: "lobby")
            try await other.publish("hello", to: "lobby")
            #expect(
                await witness.next(2) == [.failed("decoding_failed", room: "lobby"), .message("hello", from: nil)]
            )
        }
    }

    @Test
    func `a refused token is told, and harms neither this connection nor the next`() async throws {
        try await Network.with { network in
            let witness = Witness(rooms: "lobby")
            let scaledrone = network.client("Luke", of: witness)
            scaledrone.connect()
            await witness.wait(for: .roomConnected("lobby", nil))
            scaledrone.authenticate(jwt: "aaa.bbb.ccc")
            #expect(await witness.next() == .authenticated("token_invalid"))
            try await network.takeDown()
            try await network.bringBack()
            scaledrone.publish(message: "hello", room: "lobby")
            #expect(await witness.next() == .message("hello", from: nil))
        }
    }

    @Test
    func `disconnecting what is not connected is nothing to tell of`() async {
        let witness = Witness()
        let scaledrone = Scaledrone(channelID: "default", data: nil)
        scaledrone.delegate = witness
        scaledrone.disconnect()
        // What had been told would have come before this.
        scaledrone.publish(message: "hello", room: "lobby")
        #expect(await witness.next() == .failed("not_connected", room: "lobby"))
    }
}
