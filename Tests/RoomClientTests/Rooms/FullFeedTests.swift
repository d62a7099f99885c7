import NIOCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct FullFeedTests {
    /// In a room whose feeds keep four events.
    private static func join(
        _ broker: ScriptedBroker,
        _ client: RoomClient
    ) async throws
        -> (Room<JSON>, ScriptedConnection)
    {
        let joining = client.startJoining("lobby", history: 0)
        let link = try await broker.welcome()
        try await link.letIn()
        return (try await joining.value(), link)
    }

    private static func client(_ broker: ScriptedBroker) throws -> RoomClient {
        try broker.client { $0.feedBuffer.count = 4 }
    }

    @Test func `what did not fit is fetched when the reader has caught up`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...9)
            #expect(await link.unreadKinds() == [])
            #expect(await room.readMessages(2) == ["1", "2"])
            let first = try await link.history()
            #expect(first.body == HistoryRequest(room: RoomName("lobby"), anchor: .after(4), limit: 2))
            try await link.answer(first, seqs: [5, 6], more: true)
            #expect(await room.readMessages(4) == ["3", "4", "5", "6"])
            let second = try await link.history()
            #expect(second.body.anchor == .after(6))
            try await link.answer(second, seqs: [7, 8, 9], more: false)
            try await link.deliver(10...10)
            #expect(await room.readMessages(4) == ["7", "8", "9", "10"])
            #expect(room.position?.seq == 10)
        }
    }

    @Test func `each feed catches up by itself`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...5)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            try await link.answer(link.history(), seqs: [5], more: false)
            #expect(await room.readEvents(1) == ["5"])
            #expect(await room.readMessages(4) == ["1", "2", "3", "4"])
            try await link.answer(link.history(), seqs: [5], more: false)
            #expect(await room.readMessages(1) == ["5"])
        }
    }

    @Test func `what the history does not have is a gap`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...9)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            try await link.answer(link.history(), seqs: [8, 9], more: false)
            #expect(await room.readEvents(3) == ["gap 5-7 trimmed", "8", "9"])
        }
    }

    @Test func `what is damaged in the history is a gap that says so`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...9)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            try await link.answer(link.history(), seqs: [8, 9], lost: 5...7, more: false)
            #expect(await room.readEvents(3) == ["gap 5-7 lost", "8", "9"])
        }
    }

    @Test func `without history everything that did not fit is a gap`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...9)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            try await link.refuse(link.history(), .historyOff)
            try await link.deliver(10...10)
            #expect(await room.readEvents(2) == ["gap 5-9 slow", "10"])
        }
    }

    @Test func `a store that is not there now is asked again`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...5)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            try await link.refuse(link.history(), .storageUnavailable)
            #expect(await link.unreadKinds() == [])
            await broker.advance(.seconds(1))
            try await link.answer(link.history(), seqs: [5], more: false)
            #expect(await room.readEvents(1) == ["5"])
        }
    }

    @Test func `a token that expired over the history costs no message`() async throws {
        try await ScriptedBroker.with { broker in
            let tokens = TokenProviderStub()
            for _ in 0..<2 { tokens.answers.add("t") }
            let client = try broker.client(token: tokens.source) { $0.feedBuffer.count = 4 }
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.answer(link.authenticate())
            try await link.letIn()
            let room = try await joining.value()
            try await link.deliver(1...5)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            try await link.refuse(link.history(), .tokenExpired)
            try await link.answer(link.authenticate())
            await broker.advance(.seconds(1))
            try await link.answer(link.history(), seqs: [5], more: false)
            #expect(await room.readEvents(1) == ["5"])
        }
    }

    @Test func `a fetch whose answer was lost is asked again once the room is joined`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...5)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            _ = try await link.history()
            try await link.lose()
            let next = try await broker.welcome()
            let subscribe = try await next.subscribe()
            #expect(await next.unreadKinds() == [])
            try await next.letIn(subscribe, seq: 6, recovered: true)
            let fetch = try await next.history()
            try await next.deliver(6...6)
            try await next.answer(fetch, seqs: [5, 6], more: false)
            #expect(await room.readEvents(2) == ["5", "6"])
        }
    }

    @Test func `what was missing of a log that is gone is a gap`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.deliver(1...5)
            #expect(await room.readEvents(4) == ["1", "2", "3", "4"])
            _ = try await link.history()
            try await link.lose()
            let next = try await broker.welcome()
            try await next.letIn(epoch: 8, seq: 1, recovered: false)
            try await next.gap(2, 1, epoch: 8, "epoch")
            try await next.deliver(2...2)
            let events = await room.readEvents(3)
            #expect(events.first?.hasPrefix("gap 5-5") == true)
            #expect(events.suffix(2) == ["gap ? epoch", "2"])
        }
    }

    @Test func `presence that did not fit is told as the members, after all is read`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, Self.client(broker))
            try await link.list([.make("ann")])
            try await link.deliver(1...4)
            try await link.tell(.joined, .make("bob"))
            #expect(await room.readEvents(4) == ["members ann", "1", "2", "3"])
            try await link.answer(link.history(), seqs: [4], more: false)
            #expect(await room.readEvents(2) == ["4", "members ann bob"])
        }
    }
}
