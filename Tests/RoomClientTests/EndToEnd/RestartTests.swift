import RoomClient
import Testing

/// A broker that goes away and comes back, with nothing between it and its client.
@Suite(.timeLimit(.minutes(2)))
struct RestartTests {
    private static let configuration: RoomClient.Configuration = {
        var configuration = RoomClient.Configuration()
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return configuration
    }()

    @Test func `a client waits for a broker that is away, and goes on where it stopped`() async throws {
        try await BrokerProcess.with { broker in
            let url = "tcp://127.0.0.1:\(broker.port)"
            let client = try RoomClient(url, channel: "default", configuration: Self.configuration)
            try await client.withConnection { client in
                let room = try await client.join("lobby", of: String.self)
                try await room.publish("before")
                try await broker.kill9()
                async let receipt = room.publish("meanwhile")
                // Refused again and again: nobody listens there.
                for await state in client.connectionState {
                    if case .waiting(_, let error) = state, error.code == .connectionFailed { break }
                }
                try await broker.restart(samePort: true)
                #expect(try await receipt.seq == 2)
                try await room.publish("after")
                var texts: [String] = []
                for await message in room.messages {
                    texts.append(message.text ?? "")
                    if texts.count == 3 { break }
                }
                #expect(texts == ["before", "meanwhile", "after"])
            }
        }
    }

    @Test func `a broker that says goodbye is waited for as it asks`() async throws {
        try await BrokerProcess.with { broker in
            let url = "tcp://127.0.0.1:\(broker.port)"
            let client = try RoomClient(url, channel: "default", configuration: Self.configuration)
            try await client.withConnection { client in
                let room = try await client.join("lobby", of: String.self)
                try await broker.stop()
                async let receipt = room.publish("meanwhile")
                try await broker.restart(samePort: true)
                #expect(try await receipt.seq == 1)
                for await message in room.messages {
                    #expect(message.text == "meanwhile")
                    break
                }
            }
        }
    }
}
