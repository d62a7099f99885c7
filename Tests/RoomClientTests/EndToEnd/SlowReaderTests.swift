import RoomTestKit
import Testing

@testable import RoomClient

/// One room of a client is flooded and not read.
@Suite(.timeLimit(.minutes(10)), .enabled(if: BrokerProcess.isAllowed))
struct SlowReaderTests {
    private static let batch = 500
    private static let body = String(repeating: "flood ", count: 50)
    private static let limit = RoomClient.Configuration.FeedBuffer(count: 1_000, bytes: 256 * 1024)

    private static let flood = 40_000

    @Test func `a room that nobody reads costs bounded memory, no other room its rate, and loses nothing`() async throws
    {
        let flags = ["--channel", "default,history=1000000", "--publish-rate", "unlimited"]
        try await BrokerProcess.with(flags: flags) { broker in
            try await Self.withClient(of: broker) { client in
                let unread = try await client.join("unread", of: String.self)
                try await Self.readWords(beside: unread, with: client, broker.port)
                try await Self.readAll(Self.flood, of: unread)
            }
        }
    }

    private static func withClient(
        of broker: BrokerProcess,
        _ body: (RoomClient) async throws -> Void
    ) async throws {
        var configuration = RoomClient.Configuration()
        configuration.feedBuffer = Self.limit
        let url = broker.url
        let client = try RoomClient(url, channel: "default", configuration: configuration)
        try await client.withConnection(body)
    }

    /// Another room of the same client has a word after each batch of the flood, and the next batch comes when it is read:
    /// were one word held up behind the flood, this would not end.
    private static func readWords(
        beside flooded: Room<String>,
        with client: RoomClient,
        _ port: Int
    ) async throws {
        try await client.withRoom("words", of: Int.self) { room in
            try await RawClient.with(port: port) { pourer in
                var words = room.messages.makeAsyncIterator()
                for word in 1...Self.flood / Self.batch {
                    try await Self.pour(word, into: flooded.name, from: pourer)
                    #expect(try await words.next()?.body == word)
                    for feed in [flooded.membership.messages, flooded.membership.events] {
                        let (count, bytes) = feed.unread
                        #expect(count <= Self.limit.count && bytes <= Self.limit.bytes)
                    }
                }
            }
        }
    }

    private static func pour(_ word: Int, into room: String, from client: RawClient) async throws {
        let fields = #""type":"publish","room":"\#(room)","message":"\#(Self.body)""#
        let batch = Array(repeating: "{\(fields)}", count: Self.batch - 1)
        _ = try await client.ask(fields, after: batch)
        _ = try await client.ask(#""type":"publish","room":"words","message":\#(word)"#)
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
            case .signal, .members, .joined, .left, .updated, .redacted, .cleared, .notice, .muteChanged: break
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
