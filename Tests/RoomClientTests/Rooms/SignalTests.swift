import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct SignalTests {
    private static let read = #"{"read":{"epoch":"0000000000000007","seq":4}}"#

    private static func join(
        _ broker: ScriptedBroker,
        _ client: RoomClient
    ) async throws -> (Room<JSON>, ScriptedConnection) {
        let joining = client.startJoining("lobby", history: 0)
        let link = try await broker.welcome()
        try await link.letIn()
        return (try await joining.value(), link)
    }

    private static func message(_ asked: Asked<PublishRequest>) -> String {
        (asked.body.isEphemeral ? "~" : "") + String(buffer: asked.body.message)
    }

    @Test func `signals of members are events, but not messages`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, broker.client())
            try await link.deliver(nil, #"{"typing":true}"#)
            try await link.deliver(nil, #"{ "typing" : false, "since" : 1 }"#)
            try await link.deliver(nil, Self.read)
            try await link.deliver(1...1)
            #expect(await room.readEvents(4) == ["bob typing true", "bob typing false", "bob read 4", "1"])
            #expect(await room.readMessages(1) == ["1"])
        }
    }

    @Test(arguments: [
        #"{"typing":1}"#, #"["typing"]"#, #""typing""#, #"{"read":4}"#, #"{"read":{"seq":4}}"#, #"{"text":"hi"}"#,
        #"{"read":{"epoch":"7","seq":-1}}"#,
    ])
    func `other ephemeral messages are messages`(json: String) async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, broker.client())
            try await link.deliver(nil, json)
            #expect(await room.readMessages(1) == [json])
            #expect(await room.readEvents(1) == [json])
        }
    }

    @Test func `a stored message of that form is a message`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, broker.client())
            try await link.deliver(1, #"{"typing":true}"#)
            #expect(await room.readMessages(1) == [#"{"typing":true}"#])
        }
    }

    @Test func `typing is an ephemeral message, which a publish ends`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, broker.client())
            for _ in 0..<3 { room.typing() }
            #expect(Self.message(try await link.publish()) == #"~{"typing":true}"#)
            room.typing(false)
            let stopped = try await link.publish()
            #expect(Self.message(stopped) == #"~{"typing":false}"#)
            // Nobody misses it.
            try await link.refuse(stopped, .rateLimited)
            room.typing()
            _ = try await link.publish()
            let publishing = Task { try await room.publish(json: JSON("1")) }
            try await link.acknowledge(link.publish(), seq: 1)
            _ = try await publishing.value
            room.typing()
            #expect(Self.message(try await link.publish()) == #"~{"typing":true}"#)
            #expect(await link.unreadKinds() == [])
        }
    }

    @Test func `read marks are sent at a pace, the newest last`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, broker.client())
            for seq in UInt64(4)...9 { room.markRead(through: RoomPosition(.make(seq))) }
            #expect(Self.message(try await link.publish()) == "~" + Self.read)
            await broker.advance(.seconds(2))
            #expect(await link.unreadKinds() == [])
            await broker.advance(.seconds(1))
            #expect(
                MemberSignal(JSON(copying: try await link.publish().body.message))
                    == .read(through: RoomPosition(.make(9)))
            )
            await broker.advance(.seconds(3))
            #expect(await link.unreadKinds() == ["ping"])
        }
    }

    @Test func `without a connection typing is dropped, and a read mark is sent later`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, broker.client())
            try await link.lose()
            room.typing()
            room.markRead(through: RoomPosition(.make(4)))
            let next = try await broker.welcome()
            try await next.letIn()
            #expect(Self.message(try await next.publish()) == "~" + Self.read)
            #expect(await next.unreadKinds() == [])
        }
    }

    @Test func `after leaving nothing is told`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, broker.client())
            for seq in UInt64(4)...5 { room.markRead(through: RoomPosition(.make(seq))) }
            _ = try await link.publish()
            let leaving = Task { await room.leave() }
            try await link.answer(link.unsubscribe())
            await leaving.value
            room.typing()
            room.markRead(through: RoomPosition(.make(6)))
            await broker.advance(.seconds(3))
            #expect(await link.unreadKinds() == [])
        }
    }
}
