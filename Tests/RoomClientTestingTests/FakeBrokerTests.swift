import RoomClient
import RoomTestKit
import Testing

@testable import RoomClientTesting

/// What the tests of an app can do.
@Suite(.timeLimit(.minutes(5)))
struct FakeBrokerTests {
    nonisolated(nonsending)
        private static func with(_ body: (FakeBroker) async throws -> Void) async throws
    {
        try await FakeBroker.with(
            onFrame: { isOfClient, frame in FrameDump.shared?.write(isOfClient ? .client : .broker, frame) },
            body
        )
    }

    @Test func `others come, write and go`() async throws {
        try await Self.with { broker in
            let client = try broker.client(member: MemberProfile(name: "Luke"))
            let room = try await client.join("lobby", of: String.self)
            let leia = try await broker.member(MemberProfile(name: "Leia"))
            #expect(room.members.compactMap(\.profile?.name) == ["Luke"])
            await leia.join("lobby")
            #expect(room.members.compactMap(\.profile?.name) == ["Luke", "Leia"])
            try await leia.publishEphemeral(["x": 7], to: "lobby")
            try await leia.publish("hello", to: "lobby")
            try await leia.update(MemberProfile(name: "General"))
            #expect(room.members.compactMap(\.profile?.name) == ["Luke", "General"])
            await leia.leave("lobby")
            #expect(await broker.members(of: "lobby") == [client.clientID])
            var messages = room.messages.makeAsyncIterator()
            #expect(await messages.next()?.seq == nil)
            let hello = await messages.next()
            #expect(try hello?.body == "hello")
            #expect(hello?.member?.profile?.name == "Leia")
            #expect(hello?.isOwn == false)
        }
    }

    @Test func `members and the app tell each other that they type and what they have read`() async throws {
        try await Self.with { broker in
            let room = try await broker.client().join("lobby", of: String.self)
            let leia = try await broker.member(MemberProfile(name: "Leia"))
            let seq = try await leia.publish("hello", to: "lobby")
            await leia.typing(in: "lobby")
            await leia.typing(false, in: "lobby")
            await leia.markRead(through: seq, in: "lobby")
            var signals: [MemberSignal] = []
            for await event in room.events {
                guard case .signal(let signal, let message) = event else { continue }
                #expect(message.member?.profile?.name == "Leia")
                signals.append(signal)
                if signals.count == 3 { break }
            }
            let position = try #require(room.position)
            #expect(signals == [.typing(true), .typing(false), .read(through: position)])
            room.typing()
            room.markRead(through: position)
            await broker.advance(by: .zero)
            let told = await broker.ephemeralMessages(in: "lobby").map(\.description)
            #expect(told == [#"{"typing":true}"#, #"{"read":{"epoch":"\#(position.epoch)","seq":1}}"#])
            #expect(await broker.messages(in: "lobby").count == 1)
        }
    }

    @Test func `what the app publishes is stored and comes back`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby", of: String.self)
            let receipt = try await room.publish("one")
            #expect(receipt.seq == 1)
            #expect(await broker.messages(in: "lobby").map(\.description) == [#""one""#])
            var messages = room.messages.makeAsyncIterator()
            let message = await messages.next()
            #expect(message?.isOwn == true)
            #expect(message?.id == receipt.id)
        }
    }

    @Test func `there is a history before the app starts`() async throws {
        try await Self.with { broker in
            let leia = try await broker.member()
            for number in 1...5 { try await leia.publish(number, to: "lobby") }
            let client = try broker.client()
            let room = try await client.join("lobby", of: Int.self, history: 2)
            #expect(await Self.read(2, of: room) == ["*4", "*5"])
            let page = try await room.history(before: 4, limit: 2)
            #expect(try page.messages.map { try $0.body } == [2, 3])
            #expect(page.hasMore)
            await room.leave()
            let again = try await client.join("lobby", of: Int.self, since: page.messages.last?.position)
            #expect(await Self.read(2, of: again) == ["4", "5"])
        }
    }

    @Test func `nothing is lost over an outage, and nobody sees it`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby", of: Int.self)
            let id = client.clientID
            let leia = try await broker.member()
            await leia.join("lobby")
            await broker.goOffline()
            var states = client.connectionState.makeAsyncIterator()
            guard case .waiting(_, let error)? = await states.next() else {
                Issue.record("not waiting")
                return
            }
            #expect(error.code == .connectionLost)
            try await leia.publish(1, to: "lobby")
            let publishing = Task { try await room.publish(2) }
            await broker.advance(by: .seconds(20))
            guard case .waiting(_, let refused)? = await Self.newest(client) else {
                Issue.record("not waiting")
                return
            }
            #expect(refused.message.contains("Connection refused"))
            await broker.goOnline()
            #expect(try await publishing.value.seq == 2)
            #expect(client.clientID == id)
            #expect(await Self.read(2, of: room) == ["1", "2"])
            #expect(await broker.members(of: "lobby") == [id, leia.id])
        }
    }

    @Test func `messages that were deleted meanwhile are a gap`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby", of: Int.self, presence: false)
            let leia = try await broker.member()
            await broker.goOffline()
            for number in 1...3 { try await leia.publish(number, to: "lobby") }
            await broker.forgetMessages(in: "lobby")
            try await leia.publish(4, to: "lobby")
            await broker.goOnline()
            var events = room.events.makeAsyncIterator()
            guard case .gap(let gap)? = await events.next() else {
                Issue.record("no gap")
                return
            }
            #expect(gap.seqs == 1...3)
            #expect(gap.reason == .trimmed)
            guard case .message(let message)? = await events.next() else {
                Issue.record("no message")
                return
            }
            #expect(try message.body == 4)
        }
    }

    @Test func `after a long outage the client is another member`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby")
            let id = client.clientID
            await broker.goOffline()
            await broker.forgetSessions()
            #expect(await broker.members(of: "lobby") == [])
            await broker.goOnline()
            #expect(client.clientID != id)
            #expect(room.members.map(\.id) == [client.clientID])
        }
    }

    @Test func `requests are refused as often as the test says`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            await broker.refuse(.join, with: .permissionDenied, times: 1)
            #expect(await Self.failure { try await client.join("lobby") } == .permissionDenied)
            let room = try await client.join("lobby", of: Int.self)
            await broker.refuse(.publish, with: .muted)
            for _ in 0..<2 { #expect(await Self.failure { try await room.publish(1) } == .muted) }
            await broker.accept(.publish)
            try await room.publish(1)
            await broker.refuse(.history, with: .historyOff, times: 1)
            #expect(await Self.failure { try await room.history() } == .historyOff)
            await broker.refuse(.update, with: .messageTooLarge, times: 1)
            #expect(await Self.failure { try await client.update(1) } == .messageTooLarge)
            await broker.refuse(.authenticate, with: .tokenInvalid, times: 1)
            #expect(await Self.failure { try await client.authenticate("no") } == .tokenInvalid)
            try await client.authenticate("yes")
        }
    }

    @Test func `a client that may try again does so when time passes`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby", of: Int.self)
            await broker.refuse(.publish, with: .rateLimited, retryAfter: .seconds(3), times: 1)
            let publishing = Task { try await room.publish(1) }
            while await broker.isRefused(.publish) { await Task.yield() }
            #expect(await broker.messages(in: "lobby") == [])
            await broker.advance(by: .seconds(10))
            #expect(try await publishing.value.seq == 1)
        }
    }

    @Test func `a refused handshake closes the client`() async throws {
        try await Self.with { broker in
            let client = try broker.client(token: .fixed("old"))
            await broker.refuse(.handshake, with: .tokenInvalid)
            #expect(await Self.failure { try await client.connect() } == .tokenInvalid)
            guard case .closed? = await Self.newest(client) else {
                Issue.record("not closed")
                return
            }
        }
    }

    @Test func `a client is kicked, banned and sent away`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby")
            await broker.remove(client, from: "lobby")
            #expect(room.endError?.code == .kicked)
            #expect(await broker.members(of: "lobby") == [])
            await broker.disconnectAll(with: .shuttingDown, retryAfter: .seconds(5))
            await broker.advance(by: .seconds(25))
            #expect(await Self.newest(client)?.isConnected == true)
            await broker.disconnectAll(with: .banned)
            #expect(await Self.failure { try await client.connect() } == .banned)
        }
    }

    @Test func `a publish times out when the time has passed`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby", of: Int.self)
            await broker.goOffline()
            async let publishing: RoomClientError.Code? = Self.failure { try await room.publish(1) }
            // The call may not have begun when time passes first.
            let passing = Task {
                while !Task.isCancelled { await broker.advance(by: .seconds(120)) }
            }
            #expect(await publishing == .timedOut)
            passing.cancel()
            await passing.value
        }
    }

    @Test func `a client that is closed is gone at once`() async throws {
        try await Self.with { broker in
            let client = try broker.client()
            let room = try await client.join("lobby")
            #expect(await broker.members(of: room.name).count == 1)
            let closing = Task { await client.close() }
            await closing.value
            #expect(await broker.members(of: room.name) == [])
        }
    }

    // MARK: Reading

    nonisolated(nonsending)
        private static func failure<Value>(of body: () async throws -> Value) async -> RoomClientError.Code?
    {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? RoomClientError)?.code
        }
    }

    private static func newest(_ client: RoomClient) async -> ConnectionState? {
        var states = client.connectionState.makeAsyncIterator()
        return await states.next()
    }

    private static func read(_ count: Int, of room: Room<Int>) async -> [String] {
        var (read, messages) = ([String](), room.messages.makeAsyncIterator())
        while read.count < count, let message = await messages.next() {
            read.append((message.isHistory ? "*" : "") + message.json.description)
        }
        return read
    }
}
