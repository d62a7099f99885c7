import RoomTestKit
import Testing

@testable import RoomClient

/// One room of a client is flooded and not read.
@Suite(.timeLimit(.minutes(5)))
struct SlowReaderTests {
    private static let batch = 500
    private static let body = String(repeating: "flood ", count: 50)
    private static let limit = RoomClient.Configuration.FeedBuffer(count: 1_000, bytes: 256 * 1024)

    @Test func `a room that nobody reads costs bounded memory, no other room its rate, and loses nothing`() async throws
    {
        try await BrokerProcess.with(flags: ["--channel", "default,history=1000000"]) { broker in
            try await Self.withClient(of: broker) { client in
                let read = try await client.join("read", of: String.self)
                async let complete: Void = Self.readAll(20_000, of: read)
                let beside = try await Self.timeOfWord(beside: 20_000, in: read, with: client, broker.port)
                try await complete
                let unread = try await client.join("unread", of: String.self)
                let alone = try await Self.timeOfWord(beside: 100_000, in: unread, with: client, broker.port)
                // It is less work, in fact; but other processes have their share of this machine.
                #expect(alone < beside * 3)
                try await Self.readAll(100_000, of: unread)
            }
        }
    }

    private static func withClient(
        of broker: BrokerProcess,
        _ body: (RoomClient) async throws -> Void
    ) async throws {
        var configuration = RoomClient.Configuration()
        configuration.feedBuffer = Self.limit
        let url = "tcp://127.0.0.1:\(broker.port)"
        let client = try RoomClient(url, channel: "default", configuration: configuration)
        try await client.withConnection(body)
    }

    /// How long it takes for a word of another room to be read, of which there is one after each batch of the flood.
    private static func timeOfWord(
        beside flood: Int,
        in flooded: Room<String>,
        with client: RoomClient,
        _ port: Int
    ) async throws -> Duration {
        let start = ContinuousClock.now
        async let poured: Void = Self.pour(flood, into: flooded.name, port)
        try await client.withRoom("words of \(flooded.name)", of: Int.self) { room in
            var words = 0
            for await message in room.messages {
                words += 1
                let word = try message.body
                #expect(word == words)
                for feed in [flooded.membership.messages, flooded.membership.events] {
                    let (count, bytes) = feed.unread
                    #expect(count <= Self.limit.count && bytes <= Self.limit.bytes)
                }
                if words == flood / Self.batch { break }
            }
        }
        try await poured
        return (ContinuousClock.now - start) / (flood / Self.batch)
    }

    private static func pour(_ flood: Int, into room: String, _ port: Int) async throws {
        try await RawClient.with(port: port) { client in
            let fields = #""type":"publish","room":"\#(room)","message":"\#(Self.body)""#
            let batch = Array(repeating: "{\(fields)}", count: Self.batch - 1)
            for word in 1...flood / Self.batch {
                _ = try await client.ask(fields, after: batch)
                _ = try await client.ask(#""type":"publish","room":"words of \#(room)","message":\#(word)"#)
            }
        }
    }

    /// Everything is there, by both ways: what did not fit comes from the history.
    private static func readAll(_ flood: Int, of room: Room<String>) async throws {
        var last: UInt64 = 0
        for await event in room.events {
            switch event {
            case .message(let message):
                if message.seq != last + 1 { Issue.record("\(message.seq ?? 0) follows \(last)") }
                last = message.seq ?? 0
            case .gap(let gap): Issue.record("\(gap)")
            case .members, .joined, .left, .updated: break
            }
            if last == flood { break }
        }
        last = 0
        for await message in room.messages {
            if message.seq != last + 1 { Issue.record("\(message.seq ?? 0) follows \(last)") }
            last = message.seq ?? 0
            if last == flood { break }
        }
    }
}
