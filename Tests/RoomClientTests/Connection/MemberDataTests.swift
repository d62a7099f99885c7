import NIOCore
import RoomModel
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(1)))
struct MemberDataTests {
    @Test func `what changes during the handshake is told after it`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            client.startConnecting()
            let link = try await broker.accept()
            let handshake = try await link.handshake()
            try await client.update(2)
            try await link.welcome(handshake)
            let update = try await link.update()
            #expect(update.body == "2")
            try await link.answer(update)
            try await link.lose()
            let next = try await broker.accept().handshake()
            #expect(next.body.clientData.map { String(buffer: $0) } == "2")
        }
    }

    @Test func `what was told before the connection was lost does not come back after what is newer`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            client.startConnecting()
            let link = try await broker.welcome()
            async let unanswered: Void = client.update(2)
            _ = try await link.update()
            try await link.lose()
            try await client.update(3)
            try await unanswered
            let next = try await broker.accept()
            let handshake = try await next.handshake()
            #expect(handshake.body.clientData.map { String(buffer: $0) } == "3")
            try await next.welcome(handshake)
            #expect(await next.unreadKinds() == [])
        }
    }

    @Test func `what the broker refuses is not in the next handshake`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client(memberData: JSON("1"))
            client.startConnecting()
            let link = try await broker.welcome()
            let refused = Task { try await client.update(2) }
            try await link.refuse(link.update(), .messageTooLarge)
            await #expect(throws: RoomClientError.self) { try await refused.value }
            try await link.lose()
            let handshake = try await broker.accept().handshake()
            #expect(handshake.body.clientData.map { String(buffer: $0) } == "1")
        }
    }
}
