import NIOCore
import RoomModel
import Testing

@testable import RoomClient

/// Coming back to rooms after a loss.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct ResubscribeTests {
    private static func join(
        _ broker: ScriptedBroker,
        _ client: RoomClient,
        history: Int = 0,
        seq: UInt64 = 0
    )
        async throws -> (Room<JSON>, ScriptedConnection)
    {
        let joining = client.startJoining("lobby", history: history)
        let link = try await broker.welcome()
        try await link.letIn(seq: seq)
        return (try await joining.value(), link)
    }

    @Test func `a room goes on where it stopped, repeats are dropped`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client, seq: 10)
            try await link.deliver(11...12)
            try await link.lose()
            let next = try await broker.welcome()
            let subscribe = try await next.letIn(seq: 14, recovered: true).body
            #expect(subscribe.since == .make(12) && subscribe.historyCount == 0)
            try await next.deliver(11...14)
            try await next.deliver(14...15)
            #expect(await room.readEvents(5) == ["11", "12", "13", "14", "15"])
        }
    }

    @Test func `a loss amid the history costs none of it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client, history: 3, seq: 10)
            try await link.sendHistory([8])
            try await link.lose()
            let next = try await broker.welcome()
            #expect(try await next.letIn(seq: 11, recovered: true).body.since == .make(8))
            try await next.deliver(9...11)
            #expect(await room.readMessages(4) == ["*8", "*9", "*10", "11"])
        }
    }

    @Test func `what is gone is told as a gap`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.deliver(1...2)
            try await link.lose()
            let next = try await broker.welcome()
            try await next.letIn(seq: 9, recovered: false)
            try await next.gap(3, 6, "trimmed")
            try await next.deliver(7...9)
            #expect(await room.readEvents(6) == ["1", "2", "gap 3-6 trimmed", "7", "8", "9"])
            #expect(await room.readMessages(5) == ["1", "2", "7", "8", "9"])
        }
    }

    @Test func `another log is told as a gap, and read from its newest message on`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client, seq: 40)
            try await link.lose()
            let next = try await broker.welcome()
            try await next.letIn(epoch: 8, seq: 3, recovered: false)
            try await next.gap(4, 3, epoch: 8, "epoch")
            try await next.deliver(4...4)
            #expect(await room.readEvents(2) == ["gap ? epoch", "4"])
            #expect(room.position == RoomPosition(epoch: "0000000000000008", seq: 4))
        }
    }

    @Test func `another log in the middle of a connection is read on from where it stands`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client, seq: 40)
            try await link.deliver(41...41)
            try await link.gap(1, 3, epoch: 8, "epoch")
            try await link.deliver(4...5)
            #expect(await room.readEvents(4) == ["41", "gap ? epoch", "4", "5"])
            try await link.lose()
            let next = try await broker.welcome()
            #expect(try await next.subscribe().body.since == .make(5, epoch: 8))
        }
    }

    @Test func `frames before the subscribe is answered are not taken`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.lose()
            let next = try await broker.welcome()
            let subscribe = try await next.subscribe()
            try await next.deliver(50...50)
            try await next.letIn(subscribe, seq: 1, recovered: true)
            try await next.deliver(1...1)
            #expect(await room.readEvents(1) == ["1"])
        }
    }

    @Test func `a refusal that may pass is tried again when the broker says`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.lose()
            let next = try await broker.welcome()
            for _ in 0..<3 {
                try await next.refuse(next.subscribe(), .tooManyMembers, retryAfter: 500)
                await broker.advance(.milliseconds(499))
                #expect(await next.unreadKinds() == [])
                await broker.advance(.milliseconds(1))
            }
            try await next.letIn(recovered: true)
            try await next.deliver(1...1)
            #expect(await room.readEvents(1) == ["1"])
        }
    }

    @Test func `a retry that was put off is not asked beside that of the next connection`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.lose()
            let second = try await broker.welcome()
            try await second.refuse(second.subscribe(), .tooManyMembers, retryAfter: 500)
            try await second.lose()
            let third = try await broker.welcome()
            let subscribe = try await third.subscribe()
            await broker.advance(.seconds(1))
            #expect(await third.unreadKinds() == [])
            try await third.letIn(subscribe, recovered: true)
            try await third.deliver(1...1)
            #expect(await room.readEvents(1) == ["1"])
        }
    }

    @Test func `a subscribe without an answer is taken back and asked again`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.heartbeat = .seconds(3_600) }
            let (room, link) = try await Self.join(broker, client)
            try await link.lose()
            let next = try await broker.welcome()
            let late = try await next.subscribe()
            await broker.advance(.seconds(30))
            #expect(try await next.unsubscribe().callback == nil)
            let subscribe = try await next.subscribe()
            try await next.letIn(late, recovered: true)
            try await next.deliver(1...1)
            try await next.letIn(subscribe, seq: 1, recovered: true)
            try await next.deliver(1...2)
            #expect(await room.readEvents(2) == ["1", "2"])
        }
    }

    @Test func `a refusal for good ends the feeds with its error, and other rooms go on`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.deliver(1...1)
            try await link.lose()
            let next = try await broker.welcome()
            try await next.refuse(next.subscribe(), .permissionDenied)
            #expect(await room.readEvents() == ["1"])
            #expect(room.endError?.code == .permissionDenied)
            let joining = client.startJoining("attic", history: 0)
            try await next.letIn()
            #expect(try await joining.value().endError == nil)
        }
    }
}
