import RoomClient
import RoomTestKit
import Testing

/// What a token lets a client do, by the real broker.
@Suite(.timeLimit(.minutes(5)), .enabled(if: BrokerProcess.isAllowed))
struct PermissionTests {
    private static let permissions = """
        {"^news$":{"subscribe":true,"history":2},"^chat-":{"publish":true,"subscribe":true},"^box$":{"publish":true}}
        """

    private static func withMember(
        _ body: (TokenNetwork, _ editor: RoomClient, _ member: RoomClient) async throws -> Void
    ) async throws {
        try await TokenNetwork.with { network in
            let editor = try network.client(token: network.mint.token())
            let member = try network.client(token: network.mint.token(permissions: Self.permissions))
            try await editor.withConnection { editor in
                try await member.withConnection { member in try await body(network, editor, member) }
            }
        }
    }

    @Test(arguments: [
        ("news", true, false, true), ("chat-1", true, true, false), ("box", false, true, false),
        ("staff", false, false, false),
    ])
    func `each room allows what the token says`(room: String, joins: Bool, publishes: Bool, reads: Bool) async throws {
        try await Self.withMember { network, _, member in
            let publish = await failure { try await member.publish("x", to: room) }
            #expect(publish?.code == (publishes ? nil : .permissionDenied))
            do throws(RoomClientError) {
                let joined = try await member.join(room)
                #expect(joins)
                #expect(await failure { try await joined.history() }?.code == (reads ? nil : .permissionDenied))
            } catch {
                #expect(!joins)
                #expect(error.code == .permissionDenied)
            }
            // What was refused has cost nothing else.
            let other = try await member.join("chat-2", of: String.self)
            #expect(try await other.publish("hello").seq == 1)
            #expect(try await network.connections() == 2)
        }
    }

    @Test func `the history that a token allows is all that comes, and what is missing is told`() async throws {
        try await Self.withMember { _, editor, member in
            let editing = try await editor.join("news", of: String.self)
            for number in 1...5 { try await editing.publish("\(number)") }
            let epoch = editing.position?.epoch ?? ""
            let newest = try await member.join("news", of: String.self, history: 10)
            #expect(await Self.hear(2, in: newest) == ["4 4", "5 5"])
            await newest.leave()
            let since = try await member.join("news", of: String.self, since: RoomPosition(epoch: epoch, seq: 1))
            #expect(await Self.hear(3, in: since) == ["gap 2-3 denied", "4 4", "5 5"])
        }
    }

    @Test func `a room that a new token does not allow ends, the others go on`() async throws {
        try await Self.withMember { network, editor, _ in
            let member = try network.client(token: network.mint.token())
            try await member.withConnection { member in
                let chat = try await member.join("chat-1", of: String.self)
                let staff = try await member.join("staff", of: String.self)
                try await editor.publish("before", to: "staff")
                try await member.authenticate(network.mint.token(permissions: Self.permissions))
                #expect(await Self.hear(.max, in: staff) == ["1 before"])
                #expect(staff.endError?.code == .permissionDenied)
                #expect(staff.endError?.message.contains("does not let you subscribe") == true)
                try await editor.publish("after", to: "staff")
                try await editor.publish("hello", to: "chat-1")
                #expect(await Self.hear(1, in: chat) == ["1 hello"])
                #expect(await failure { try await member.join("staff") }?.code == .permissionDenied)
                try await member.authenticate(network.mint.token())
                let again = try await member.join("staff", of: String.self, history: 10)
                #expect(await Self.hear(2, in: again) == ["1 before", "2 after"])
            }
        }
    }

    /// The next messages and gaps, up to the end of the room.
    private static func hear(_ count: Int, in room: Room<String>) async -> [String] {
        var heard: [String] = []
        for await event in room.events {
            switch event {
            case .message(let message): heard.append("\(message.seq ?? 0) \(message.text ?? "")")
            case .gap(let gap):
                let seqs = gap.seqs.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "?"
                heard.append("gap \(seqs) \(gap.reason)")
            case .signal, .members, .joined, .left, .updated, .redacted, .cleared, .notice, .muteChanged: break
            }
            if heard.count == count { break }
        }
        return heard
    }
}
