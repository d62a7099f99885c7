import RoomClient
import RoomTestKit
import Testing

/// A broker that goes away and comes back, with nothing between it and its client.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport, .enabled(if: BrokerProcess.isAllowed))
struct RestartTests {
    private static let configuration: RoomClient.Configuration = {
        var configuration = RoomClient.Configuration()
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return configuration
    }()

    @Test func `a client waits for a broker that is away, and goes on where it stopped`() async throws {
        try await BrokerProcess.with { broker in
            let url = broker.url
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
            let url = broker.url
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

    @Test func `a broker that has lost its data tells of another log, which is followed`() async throws {
        try await BrokerProcess.with { broker in
            let url = broker.url
            let client = try RoomClient(url, channel: "default", configuration: Self.configuration)
            try await client.withConnection { client in
                let room = try await client.join("lobby", of: String.self)
                for text in ["one", "two"] { try await room.publish(text) }
                // An acknowledgement can overtake its message, which would be lost with the log.
                var heard = await Self.hear(2, in: room)
                try await broker.kill9()
                try broker.forget()
                try await broker.restart(samePort: true)
                #expect(try await room.publish("one of another log").seq == 1)
                heard += await Self.hear(2, in: room)
                #expect(heard == ["1 one", "2 two", "gap epoch", "1 one of another log"])
            }
        }
    }

    /// The next messages and gaps.
    private static func hear(_ count: Int, in room: Room<String>) async -> [String] {
        var heard: [String] = []
        for await event in room.events {
            switch event {
            case .message(let message): heard.append("\(message.seq ?? 0) \(message.text ?? "")")
            case .gap(let gap): heard.append("gap \(gap.reason)")
            case .signal, .members, .joined, .left, .updated, .redacted, .cleared, .notice, .muteChanged: break
            }
            if heard.count == count { break }
        }
        return heard
    }
}
