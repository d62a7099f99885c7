import RoomClient
import RoomClientTesting
import RoomTestKit
import Testing

/// The fake broker and the built one do the same for the same clients.
@Suite(.timeLimit(.minutes(5)), .enabled(if: BrokerProcess.isAllowed))
struct FaithfulnessTests {
    @Test func `a conversation looks the same`() async throws {
        let fake = try await FakeBroker.with { broker in
            try await Self.conversation { try broker.client(member: MemberProfile(name: $0)) }
        }
        let real = try await BrokerProcess.with { broker in
            let url = "tcp://127.0.0.1:\(broker.port)"
            return try await Self.conversation {
                try RoomClient(url, channel: "default", member: MemberProfile(name: $0))
            }
        }
        #expect(fake.count > 15)
        #expect(fake == real)
    }

    /// - Returns: everything that two clients have seen, a line each.
    private static func conversation(_ make: (String) throws -> RoomClient) async throws -> [String] {
        let (ann, bob) = (try make("Ann"), try make("Bob"))
        let annRoom = try await ann.join("lobby", of: String.self)
        var lines: [String] = []
        var annMessages = annRoom.messages.makeAsyncIterator()
        for text in ["one", "two", "three"] {
            let receipt = try await annRoom.publish(text)
            let message = await annMessages.next()
            lines.append("receipt \(receipt.seq ?? 0) \(receipt.id == message?.id) \(receipt.time == message?.time)")
        }
        let bobRoom = try await bob.join("lobby", of: String.self, history: 2)
        try await bobRoom.publishEphemeral("ephemeral")
        bobRoom.typing()
        bobRoom.markRead(through: RoomPosition(epoch: bobRoom.position?.epoch ?? "", seq: 3))
        lines.append("receipt \(try await bobRoom.publish("four").seq ?? 0)")
        try await bob.update(MemberProfile(name: "Robert"))
        let page = try await bobRoom.history(before: 3, limit: 1)
        lines.append("page \(page.messages.map(Self.line)) \(page.hasMore) \(page.seqs.map { "\($0)" } ?? "")")
        var bobMessages = bobRoom.messages.makeAsyncIterator()
        for _ in 0..<4 { if let message = await bobMessages.next() { lines.append("bob " + Self.line(message)) } }
        await bobRoom.leave()
        for await event in annRoom.events {
            lines.append("ann " + Self.line(event))
            if case .left = event { break }
        }
        let position = page.messages.last?.position
        let again = try await bob.join("lobby", of: String.self, since: position)
        var messages = again.messages.makeAsyncIterator()
        for _ in 0..<2 { if let message = await messages.next() { lines.append("again " + Self.line(message)) } }
        await bob.close()
        await ann.close()
        return lines
    }

    private static func line(_ event: RoomEvent<String>) -> String {
        switch event {
        case .message(let message): Self.line(message)
        case .members(let members): "members \(members.map(Self.name))"
        case .joined(let member): "joined \(Self.name(member))"
        case .left(let member): "left \(Self.name(member))"
        case .updated(let member): "updated \(Self.name(member))"
        case .signal(.typing(let isTyping), let message): "typing \(isTyping) \(message.isOwn)"
        case .signal(.read(let position), let message): "read \(position.seq) \(message.isOwn)"
        case .gap, .redacted, .cleared, .notice, .muteChanged: "\(event)"
        }
    }

    private static func line(_ message: RoomMessage<String>) -> String {
        let place = message.seq.map { "\($0)" } ?? "-"
        return "\(place) \(message.json) \(message.member.map(Self.name) ?? "?") \(message.isOwn) \(message.isHistory)"
    }

    private static func name(_ member: Member) -> String { member.profile?.name ?? "?" }
}
