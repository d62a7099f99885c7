import NIOCore
import RoomModel
import Testing

@testable import RoomClient

/// PendingRequests of the app to the broker, by the example of the history.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct RequestTests {
    /// A client that is in the lobby, and its broker's end.
    private static func joined(
        _ broker: ScriptedBroker,
        _ client: RoomClient
    ) async throws
        -> (Room<JSON>, ScriptedConnection)
    {
        let joining = client.startJoining("lobby", history: 0)
        let link = try await broker.welcome()
        try await link.letIn(seq: 40)
        return (try await joining.value(), link)
    }

    @Test func `the history is asked in pages`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.joined(broker, client)
            let newest = Task { try await room.history(limit: 2) }
            let question = try await link.history()
            #expect(question.body == HistoryRequest(room: RoomName("lobby"), anchor: .newest, limit: 2))
            try await link.answer(question, seqs: [39, 40], more: true)
            let page = try await newest.value
            #expect(page.messages.map(\.seq) == [39, 40])
            #expect(page.messages.allSatisfy(\.isHistory) && page.hasMore)
            #expect(page.messages.last?.position == RoomPosition(epoch: "0000000000000007", seq: 40))

            let before = Task { try await room.history(before: 39) }
            let second = try await link.history()
            #expect(second.body.anchor == .before(39) && second.body.limit == 100)
            try await link.answer(second, seqs: [], more: false)
            #expect(try await before.value.messages.isEmpty)
            let after = Task { try await room.history(after: 7) }
            let third = try await link.history()
            #expect(third.body.anchor == .after(7))
            try await link.refuse(third, .historyOff)
            #expect(await failure { try await after.value }?.code == .historyOff)
        }
    }

    @Test func `a question whose answer was lost is asked again`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.joined(broker, client)
            let asking = Task { try await room.history() }
            let first = try await link.history()
            try await link.lose()
            let next = try await broker.welcome()
            try await next.letIn(seq: 40, recovered: true)
            let second = try await next.history()
            #expect(second.line == first.line)
            try await next.answer(second, seqs: [40], more: false)
            #expect(try await asking.value.messages.count == 1)
        }
    }

    @Test func `a question is not waited for without end`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client {
                $0.requestTimeout = .seconds(8)
                $0.heartbeat = .seconds(3_600)
            }
            let (room, link) = try await Self.joined(broker, client)
            let asking = Task { try await room.history() }
            let question = try await link.history()
            await broker.advance(.seconds(8))
            #expect(await failure { try await asking.value }?.code == .timedOut)
            try await link.answer(question, seqs: [], more: false)
            #expect(await client.state() == "connected ann")
        }
    }

    @Test func `the time without a connection does not count`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.requestTimeout = .seconds(8) }
            let (room, link) = try await Self.joined(broker, client)
            let asking = Task { try await room.history() }
            _ = try await link.history()
            try await link.goodbye(.shuttingDown, retryAfter: 60_000)
            await broker.advance(.seconds(60))
            let next = try await broker.welcome()
            try await next.letIn(seq: 40)
            try await next.answer(next.history(), seqs: [], more: false)
            #expect(try await asking.value.messages.isEmpty)
        }
    }

    @Test func `answers may come in any order`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.joined(broker, client)
            let first = Task { try await room.history(before: 10) }
            let firstQuestion = try await link.history()
            let second = Task { try await room.history(before: 20) }
            let secondQuestion = try await link.history()
            try await link.answer(secondQuestion, seqs: [19], more: false)
            try await link.answer(firstQuestion, seqs: [9], more: false)
            #expect(try await first.value.messages.map(\.seq) == [9])
            #expect(try await second.value.messages.map(\.seq) == [19])
        }
    }

    @Test func `who is cancelled does not wait for the answer`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.joined(broker, client)
            let asking = Task { try await room.history() }
            let question = try await link.history()
            asking.cancel()
            #expect(await failure { try await asking.value }?.code == .cancelled)
            try await link.answer(question, seqs: [1], more: false)
            #expect(await client.state() == "connected ann")
        }
    }
}
