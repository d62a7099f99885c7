import Testing

@testable import RoomClient

/// The broker takes a client out of a room.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct RemovalTests {
    @Test func `the room's feeds end with the reason, and it is not joined again`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await joining.value()
            try await link.deliver(1...2)
            try await link.remove(because: "not with this token")
            #expect(await room.readMessages() == ["1", "2"])
            #expect(room.endError?.code == .permissionDenied)
            #expect(room.endError?.message == #"removed from "lobby": not with this token"#)
            #expect(await failure { try await room.publish(json: JSON("1")) }?.code == .permissionDenied)
            try await link.lose()
            let next = try await broker.welcome()
            #expect(await client.state() == "connected ann")
            #expect(await next.unreadKinds() == [])
        }
    }

    @Test func `the app may join again, and frames for the earlier membership are ignored`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let first = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await first.value()
            try await link.remove(because: "out")
            #expect(await room.readMessages() == [])
            let second = client.startJoining("lobby", history: 0)
            let subscribe = try await link.subscribe()
            try await link.remove(because: "out")
            try await link.letIn(subscribe)
            let again = try await second.value()
            try await link.deliver(1...1)
            #expect(await again.readMessages(1) == ["1"])
        }
    }
}
