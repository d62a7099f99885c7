import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// All that is stored of somebody is redacted in steps, between which the room goes on.
struct AuthorRedactionTests {
    private static func key(_ channel: String = "test") -> RoomKey { .make("room", channel: channel) }

    /// The author of what a client has just received of itself.
    private static func author(of frames: [ReceivedFrame]) -> MessageAuthor {
        MessageAuthor(user: nil, clients: [ClientID(frames.first?.text("client_id") ?? "")])
    }

    /// Goes on until there is no more.
    private static func redactAll(
        of author: MessageAuthor,
        _ broker: TestBroker,
        in key: RoomKey
    ) throws -> (steps: Int, count: Int) {
        var (step, steps, count) = (AuthorStep(author, reason: "spam"), 0, 0)
        while true {
            let answer = broker.redact(step, in: key)
            broker.run()
            let receipt = try #require(answer.value)
            (steps, count) = (steps + 1, count + receipt.count)
            guard let next = receipt.next else { return (steps, count) }
            (step.after, step.end) = (next, receipt.end)
        }
    }

    @Test(arguments: ["test", "plain"])
    func `the messages of one are redacted, those of others stay`(channel: String) throws {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room", channel: channel)
        let bob = broker.connect(shard: 1).joined("room", channel: channel)
        for number in 1...3 {
            ann.publish("room", "\"spam \(number)\"")
            bob.publish("room", "\"good \(number)\"")
        }
        let author = Self.author(of: ann.receive())
        _ = bob.receive()
        let done = try Self.redactAll(of: author, broker, in: Self.key(channel))
        #expect(done.count == 3)
        let told = bob.receive()
        #expect(told.map(\.type) == ["message_redacted", "message_redacted", "message_redacted"])
        #expect(told.map { $0.number("target_seq") } == [1, 3, 5])
        #expect(told.map(\.seq) == [7, 8, 9])
        #expect(told.allSatisfy { $0.text("reason") == "spam" })
        let again = try Self.redactAll(of: author, broker, in: Self.key(channel))
        #expect(again.count == 0)
        #expect(bob.receive().isEmpty)
        #expect(bob.publish("room", "1")?.seq == 10)
    }

    @Test func `many are redacted in steps, and other redactions have their turns`() throws {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        let bob = broker.connect().joined("room")
        for number in 1...300 { ann.say("room", "\(number)") }
        broker.run()
        bob.publish("room", "\"good\"")
        broker.run()
        let author = Self.author(of: ann.receive())
        _ = bob.receive()
        let first = broker.redact(AuthorStep(author), in: Self.key())
        let one = broker.redact(.seq(300), in: Self.key())
        broker.run()
        let receipt = try #require(first.value)
        #expect(receipt.count == 128)
        #expect(receipt.next == 128)
        #expect(receipt.end.seq == 301)
        #expect(one.value?.seq == 301 + 128 + 1)
        var step = AuthorStep(author, after: 128, end: receipt.end)
        let second = broker.redact(step, in: Self.key())
        broker.run()
        step.after = try #require(second.value?.next)
        let third = broker.redact(step, in: Self.key())
        broker.run()
        #expect(second.value?.count == 128)
        // one of them had been redacted before
        #expect(third.value?.count == 300 - 256 - 1)
        #expect(third.value?.next == nil)
        #expect(bob.receive().count { $0.type == "message_redacted" } == 300)
    }

    @Test func `what is counted stays, and a room that begins anew ends the act`() throws {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        for number in 1...3 { ann.publish("room", "\(number)") }
        let author = Self.author(of: ann.receive())
        let counted = broker.redact(AuthorStep(author, isDryRun: true), in: Self.key())
        broker.run()
        let receipt = try #require(counted.value)
        #expect(receipt.count == 3)
        #expect(ann.receive().isEmpty)
        _ = broker.clear(Self.key())
        broker.run()
        ann.publish("room", "4")
        _ = ann.receive()
        let late = broker.redact(AuthorStep(author, after: 0, end: receipt.end), in: Self.key())
        broker.run()
        #expect(late.value?.count == 0)
        #expect(late.value?.next == nil)
        #expect(broker.redact(AuthorStep(author), in: Self.key("nowhere")).code == .unknownChannel)
    }

    @Test func `two nodes redact all of one at once, and each message once`() {
        let cluster = MemoryCluster()
        let nodes = TestBroker.twoNodes(of: cluster)
        let ann = nodes[0].connect().joined("room")
        for number in 1...10 { ann.publish("room", "\"secret \(number)\"") }
        let author = Self.author(of: ann.receive())
        var steps: [AuthorStep?] = nodes.map { _ in AuthorStep(author) }
        for _ in 0..<30 where steps.contains(where: { $0 != nil }) {
            let answers = zip(nodes, steps).map { node, step in step.map { node.redact($0) } }
            for _ in 0..<10 { cluster.advance(by: .milliseconds(500)) }
            for index in nodes.indices {
                guard let receipt = answers[index]?.value else { continue }
                steps[index] = receipt.next.map { AuthorStep(author, after: $0, end: receipt.end) }
            }
        }
        #expect(steps == [nil, nil])
        let told = ann.receive().filter { $0.type == "message_redacted" }.compactMap { $0.number("target_seq") }
        #expect(told.sorted() == Array(1...10))
        for node in nodes { #expect(node.engine.entries(of: .make()).count { $0.kind == .tombstone } == 10) }
    }

    @Test(arguments: ["history", "plain"], ["observable-room", "room"])
    func `the messages of a user's earlier sessions are its own, also where they do not say the user`(
        kind: String,
        room: String
    ) throws {
        let channel = ChannelSettings.make(history: kind == "plain" ? nil : 10, authentication: .optional)
        let broker = TestBroker(channels: [channel])
        let keeper = broker.connect()
        keeper.handshake()
        keeper.subscribe(room)
        let moderates = #"{".*":{"publish":true,"subscribe":true,"moderate":true}}"#
        for (user, permissions) in [("7", nil), ("8", nil), ("7", moderates), ("7", nil)] {
            let client = broker.connect()
            client.handshake(token: TestToken.make(permissions ?? TestToken.everything, data: #"{"id":"\#(user)"}"#))
            client.subscribe(room)
            client.publish(room, #""of \#(user)""#)
            client.drop()
            broker.run()
        }
        let done = try Self.redactAll(of: MessageAuthor(user: "7", clients: []), broker, in: .make(room))
        #expect(done.count == 3)
        let rest = try Self.redactAll(of: MessageAuthor(user: "8", clients: []), broker, in: .make(room))
        #expect(rest.count == 1)
    }

    @Test(arguments: [
        (#"{"id":"c","authData":"u7"},"message":"hi"}"#, true),
        (#"{"id":"c","authData":{"id":"u7"}},"message":"hi"}"#, true),
        (#"{"id":"c","authData":{"id":"u8"}},"message":"hi"}"#, false), (#"{"id":"c"},"message":"hi"}"#, false),
        (#"{"id":"c","clientData":{"authData":"u7"}},"message":{"sender":{"authData":"u7"}}}"#, false),
    ])
    func `a user is who the token names, whatever is written in a message`(rest: String, isMeant: Bool) {
        let tail = ByteBuffer(string: #""id":"x","timestamp":1,"seq":2,"client_id":"c","sender":"# + rest)
        let message = LogEntry(seq: 2, id: .make(2), tail: tail)
        #expect(MessageAuthor(user: "u7", clients: []).wrote(message) == isMeant)
        #expect(MessageAuthor(user: nil, clients: [ClientID("c")]).wrote(message))
        #expect(!MessageAuthor(user: nil, clients: [ClientID("d")]).wrote(message))
    }
}
