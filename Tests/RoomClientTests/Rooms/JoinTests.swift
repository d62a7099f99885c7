import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct JoinTests {
    @Test func `a room is joined with what was asked for`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 5)
            let link = try await broker.welcome()
            let subscribe = try await link.letIn(seq: 42).body
            #expect(subscribe.rooms == .one(RoomName("lobby")))
            #expect(subscribe.historyCount == 5 && subscribe.since == nil)
            #expect(subscribe.overflow == .dropOldest)
            let room = try await joining.value()
            #expect(room.name == "lobby")
            #expect(room.position == RoomPosition(epoch: "0000000000000007", seq: 37))
        }
    }

    @Test func `a room is joined where an earlier run of the app stopped`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let since = RoomPosition(epoch: "0000000000000007", seq: 12)
            let joining = Task { try await client.join("lobby", history: 5, since: since) }
            let link = try await broker.welcome()
            let subscribe = try await link.letIn(seq: 14, recovered: true).body
            #expect(subscribe.historyCount == 0 && subscribe.since == .make(12))
            try await link.deliver(13...14)
            let room = try await joining.value
            #expect(await room.readMessages(2) == ["13", "14"])
        }
    }

    @Test func `an entry of a kind that only newer brokers have is no gap`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn(seq: 1)
            let room = try await joining.value()
            try await link.deliver(2...2)
            try await link.sendBytes(#"{"type":"confetti","room":"lobby","seq":3}"# + "\n")
            try await link.deliver(4...4)
            try await link.deliver(6...6)
            #expect(await room.readEvents(4) == ["2", "4", "gap 5-5 slow", "6"])
        }
    }

    @Test func `the list of members may come before the answer to the subscribe, and the newest member first`()
        async throws
    {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            let subscribe = try await link.subscribe()
            try await link.list([.make("ann"), .make("bob")])
            try await link.letIn(subscribe, seq: 3)
            try await link.deliver(4...4)
            let room = try await joining.value()
            #expect(room.members.map(\.id) == ["ann", "bob"])
            #expect(await room.readEvents(2) == ["members ann bob", "4"])
        }
    }

    @Test func `history comes first, then what happens`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 2)
            let link = try await broker.welcome()
            try await link.letIn(seq: 42)
            try await link.sendHistory([41, 42])
            try await link.deliver(43...44)
            let room = try await joining.value()
            #expect(await room.readMessages(4) == ["*41", "*42", "43", "44"])
        }
    }

    @Test func `a refusal is thrown, and the room can be joined again`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.refuse(link.subscribe(), .tooManyMembers, retryAfter: 10)
            let error = await failure { try await joining.value() }
            #expect(error?.code.rawValue == "too_many_members")
            #expect(error?.retryAfter == .milliseconds(10))
            await broker.advance(.seconds(4))
            #expect(await link.unreadKinds() == [])
            let again = client.startJoining("lobby", history: 0)
            try await link.letIn()
            #expect(try await again.value().name == "lobby")
        }
    }

    @Test func `a room is joined once at a time`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            #expect(await failure { try await client.join("lobby") }?.code == .alreadyJoined)
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await joining.value()
            #expect(await failure { try await client.join("lobby") }?.code == .alreadyJoined)
            try await link.deliver(1...1)
            #expect(await room.readMessages(1) == ["1"])
            #expect(await link.unreadKinds() == [])
        }
    }

    @Test func `a join without an answer is taken back`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.heartbeat = .seconds(3_600) }
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            let late = try await link.subscribe()
            await broker.advance(.seconds(30))
            #expect(await failure { try await joining.value() }?.code == .timedOut)
            #expect(try await link.unsubscribe().callback == nil)
            try await link.letIn(late)
            let again = client.startJoining("lobby", history: 0)
            try await link.letIn()
            #expect(try await again.value().name == "lobby")
        }
    }

    @Test func `a join that is cancelled is taken back`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let joining = Task { try await client.join("lobby") }
            let subscribe = try await link.subscribe()
            joining.cancel()
            #expect(await failure { try await joining.value }?.code == .cancelled)
            try await link.letIn(subscribe)
            try await link.answer(link.unsubscribe())
            let again = client.startJoining("lobby", history: 0)
            try await link.letIn()
            #expect(try await again.value().name == "lobby")
        }
    }

    @Test func `messages are read as the room's type`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = Task { try await client.join("lobby", of: [String: Int].self) }
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await joining.value
            try await link.deliver(1, #"{"a":1}"#)
            try await link.deliver(2, #""text""#)
            var messages = room.messages.makeAsyncIterator()
            let (first, second) = (await messages.next(), await messages.next())
            #expect(try first?.body == ["a": 1])
            #expect(first?.text == nil && first?.member?.id == "bob")
            #expect(throws: RoomClientError.self) { try second?.body }
            #expect(second?.text == "text")
            #expect(first?.position == RoomPosition(epoch: "0000000000000007", seq: 1))
        }
    }
}
