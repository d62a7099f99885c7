import RoomModel
import RoomWire
import Testing

@testable import RoomClient

/// What a moderator asks.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct RoomModerationTests {
    private typealias Call = @Sendable (RoomModeration) async throws -> Void

    private static let calls: [(call: Call, act: ModerationAct)] = [
        ({ try await $0.kick("bob", reason: "so") }, .room(.kick(ClientID("bob"), reason: "so"))),
        (
            { try await $0.ban(.user("u7"), for: .seconds(3_600)) },
            .impose(.ban, .user("u7"), reason: nil, seconds: 3_600)
        ),
        ({ try await $0.mute(.client("bob")) }, .impose(.mute, .client(ClientID("bob")), reason: nil, seconds: nil)),
        ({ try await $0.unban(.user("u7")) }, .lift(.ban, .user("u7"))),
        ({ try await $0.unmute(.client("bob")) }, .lift(.mute, .client(ClientID("bob")))),
        ({ try await $0.lock(reason: "night") }, .lock(reason: "night")),
        ({ try await $0.unlock() }, .unlock),
        ({ try await $0.setSlowMode(.seconds(10)) }, .slowMode(seconds: 10)),
        ({ try await $0.limitMembers(to: 1) }, .limitMembers(count: 1)),
        ({ try await $0.limitMembers(to: nil) }, .limitMembers(count: 0)),
        ({ try await $0.sendNotice("hear, hear") }, .room(.notice(Notice(text: "hear, hear")))),
        ({ try await $0.redact(12) }, .room(.redact(.seq(12), reason: nil))),
    ]

    private static func with(_ body: (Room<JSON>, ScriptedConnection) async throws -> Void) async throws {
        try await ScriptedBroker.with { broker in
            let joining = try broker.client().startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            try await body(try await joining.value(), link)
        }
    }

    @Test(arguments: Self.calls.indices)
    func `each call is one frame`(index: Int) async throws {
        let (call, act) = Self.calls[index]
        try await Self.with { room, link in
            async let done: Void = call(room.moderation)
            let asked = try await link.moderation()
            #expect(asked.body == ModerationRequest(room: RoomName("lobby"), act: act))
            try await link.answer(asked)
            try await done
        }
    }

    @Test func `two spellings of an accent are two users, as for the broker`() {
        let spellings = ["Ren\u{e9}", "Rene\u{301}"]
        #expect(spellings[0] == spellings[1])
        let subjects = spellings.flatMap { [ModerationSubject.user($0), .client($0)] }
        #expect(Set(subjects).count == 4)
        #expect(subjects[0] == .user(spellings[0]) && subjects[0] != .client(spellings[0]))
    }

    @Test func `a message is named by its id`() async throws {
        try await Self.with { room, link in
            try await link.deliver(1...1)
            var messages = room.messages.makeAsyncIterator()
            let message = try #require(await messages.next())
            async let done: Void = room.moderation.redact(message, reason: "spam")
            let asked = try await link.moderation()
            #expect(asked.body.act == .room(.redact(.id(message.uniqueID), reason: "spam")))
            try await link.answer(asked)
            try await done
        }
    }

    @Test func `a clearing tells where the room begins`() async throws {
        try await Self.with { room, link in
            async let position = room.moderation.clear()
            let asked = try await link.moderation()
            #expect(asked.body.act == .room(.clear))
            try await link.answer(asked) { $0.reply(to: $1, ClearReply(epoch: Epoch(rawValue: 8))) }
            #expect(try await position == RoomPosition(epoch: "0000000000000008", seq: 0))
        }
    }

    @Test func `what the broker has against it is thrown`() async throws {
        try await Self.with { room, link in
            async let error = failure { try await room.moderation.lock() }
            try await link.refuse(try await link.moderation(), .permissionDenied)
            #expect(await error?.code == .permissionDenied)
        }
    }

    @Test func `what is lost with its connection is not repeated`() async throws {
        try await Self.with { room, link in
            async let error = failure { try await room.moderation.sendNotice("once") }
            _ = try await link.moderation()
            try await link.lose()
            #expect(await error?.code == .connectionLost)
        }
    }

    @Test(arguments: [0, -1])
    func `a room is not limited to nobody`(count: Int) async throws {
        try await Self.with { room, link in
            let error = await failure { try await room.moderation.limitMembers(to: count) }
            #expect(error?.code == .invalidField)
            #expect(await link.unreadKinds() == [])
        }
    }

    @Test(arguments: ["10.0.0.1/8", "nowhere", ""])
    func `an address has to be one`(text: String) async throws {
        try await Self.with { room, link in
            let error = await failure { try await room.moderation.ban(.address(text)) }
            #expect(error?.code == .invalidField)
            #expect(await link.unreadKinds() == [])
        }
    }
}
