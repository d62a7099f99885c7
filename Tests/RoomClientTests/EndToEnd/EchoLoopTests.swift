import RoomClient
import RoomTestKit
import Testing

/// Publishing from the loop that reads: the reader waits for an acknowledgement that comes on the connection whose messages it
/// does not read meanwhile.
@Suite(.serialized, .timeLimit(.minutes(10)), .overEveryTransport, .enabled(if: BrokerProcess.isAllowed))
struct EchoLoopTests {
    /// As small as they can be.
    private static let tiny: RoomClient.Configuration = {
        var configuration = RoomClient.Configuration()
        configuration.feedBuffer = .init(count: 1, bytes: 1)
        configuration.outbox = .init(count: 1, bytes: 1)
        // nothing here is about how long it takes
        configuration.publishTimeout = .seconds(540)
        return configuration
    }()

    private static let count = 2_000

    @Test func `whoever answers each message with the next one comes to the end`() async throws {
        try await BrokerProcess.with { broker in
            let url = broker.url
            let client = try RoomClient(url, channel: "default", configuration: Self.tiny)
            try await client.withConnection { client in
                let room = try await client.join("echo", of: Int.self)
                try await room.publish(1)
                var expected = 1
                for await message in room.messages {
                    let number = try message.body
                    #expect(number == expected)
                    expected += 1
                    if number == Self.count { break }
                    try await room.publish(number + 1)
                }
            }
        }
    }

    @Test func `many who answer at once, each to its neighbour, all come to the end`() async throws {
        let names = (0..<6).map { "desk \($0)" }
        try await BrokerProcess.with(flags: ["--channel", "default,history=100000"]) { broker in
            let url = broker.url
            let clients = try names.map { _ in
                try RoomClient(url, channel: "default", configuration: Self.tiny)
            }
            var rooms: [Room<Int>] = []
            for (client, name) in zip(clients, names) { rooms.append(try await client.join(name, of: Int.self)) }
            // Several go round at the same time, so that every reader has more to read than its buffer holds.
            for number in 0..<20 { try await clients[0].publish(number % 2, to: names[number % names.count]) }
            try await withThrowingTaskGroup { group in
                for (index, room) in rooms.enumerated() {
                    let neighbour = names[(index + 1) % names.count]
                    group.addTask { try await Self.passOn(from: room, with: clients[index], to: neighbour) }
                }
                try await group.waitForAll()
            }
            for client in clients { await client.close() }
        }
    }

    /// Adds one to each message and gives it to the neighbour; ends after so many.
    private static func passOn(from room: Room<Int>, with client: RoomClient, to neighbour: String) async throws {
        var seen = 0
        for await message in room.messages {
            seen += 1
            if message.seq != UInt64(seen) { Issue.record("\(message.seq ?? 0) is the message \(seen)") }
            let number = try message.body
            try await client.publish(number + 1, to: neighbour)
            if seen == Self.count / 4 { return }
        }
    }
}
