import NIOCore
import RoomModel
import RoomWire
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct GoodbyeTests {
    @Test func `the broker's pause is kept`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            try await link.goodbye(.shuttingDown, retryAfter: 1_840)
            #expect(link.isClosed)
            #expect(await client.state() == "waiting shutting_down")
            await broker.advance(.milliseconds(1_839))
            #expect(await broker.attemptsWaiting() == 0)
            await broker.advance(.milliseconds(1))
            #expect(await broker.attemptsWaiting() == 1)
        }
    }

    @Test func `a pause without end does not trap`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            try await broker.welcome().goodbye(.shuttingDown, retryAfter: .max)
            await broker.advance(.hours(24))
            #expect(await client.state() == "waiting shutting_down")
        }
    }

    @Test func `one after which nobody is to come back ends everything with its code`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let joining = client.startJoining("lobby", history: 0)
            let link = try await broker.welcome()
            try await link.letIn()
            let room = try await joining.value()
            let publishing = client.startPublishing(try JSON("1"), to: "lobby")
            let ephemeral = Task { try await room.publishEphemeral(json: try JSON("2")) }
            let asking = Task { try await room.history() }
            let kinds = Set([try await link.next().kind, try await link.next().kind, try await link.next().kind])
            #expect(kinds == ["publish", "history"])
            try await link.deliver(1...1)
            try await link.goodbye(.replaced)

            #expect(await client.state() == "closed replaced")
            #expect(await room.readEvents() == ["1"])
            #expect(await room.readMessages() == ["1"])
            #expect(room.endError?.code == .replaced)
            #expect(await failure { try await publishing.value() }?.code == .replaced)
            #expect(await failure { try await ephemeral.value }?.code == .replaced)
            #expect(await failure { try await asking.value }?.code == .replaced)
            #expect(await failure { try await client.join("attic") }?.code == .replaced)
            #expect(await failure { try await room.publish(json: JSON("3")) }?.code == .replaced)
            #expect(await failure { try await client.update(1) }?.code == .replaced)
            #expect(await failure { try await client.authenticate("t") }?.code == .replaced)
            #expect(await failure { try await room.history() }?.code == .replaced)
            #expect(await failure { try await room.publishEphemeral(json: JSON("3")) }?.code == .replaced)
            await room.leave()
            #expect(await broker.attemptsWaiting() == 0)
        }
    }

    @Test func `frames behind a goodbye are not read`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            client.startConnecting()
            let link = try await broker.welcome()
            let goodbye = link.frame { $0.frame(Goodbye(.shuttingDown, reason: "r", retryAfterMilliseconds: 60_000)) }
            let last = link.frame { $0.frame(Goodbye(.banned, reason: "r", retryAfterMilliseconds: nil)) }
            try await link.sendBytes(goodbye + "\n" + last + "\n")
            #expect(await client.state() == "waiting shutting_down")
        }
    }
}
