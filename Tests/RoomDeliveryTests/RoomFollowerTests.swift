import NIOCore
import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomDelivery

/// Rooms that somebody follows without being in them. The channel `test` keeps history, `plain` keeps none.
@OneThread
struct RoomFollowerTests {
    fileprivate nonisolated static func key(_ channel: String) -> RoomKey { .make("room", channel: channel) }

    /// One reader, and what it has got.
    @OneThread private final class Reader {
        private let broker: TestBroker
        private let parts: FollowedRoom?
        private(set) var lastID: String?

        init(_ broker: TestBroker, _ channel: String = "test", after position: Position? = nil) async {
            self.broker = broker
            self.parts = await broker.ask { gateway in
                await gateway.follow(RoomFollowerTests.key(channel), after: position, for: "uid:7")
            }
        }

        /// The next parts: the messages of their frames, the types of those that are none, and gaps.
        func next(_ count: Int) async -> [String] {
            var seen: [String] = []
            while seen.count < count {
                let next = await self.broker.ask { [parts] _ in
                    await parts?.makeAsyncIterator().next()
                }
                guard let next else { return seen + ["end"] }
                for part in next {
                    switch part {
                    case .gap(let gap, let epoch):
                        seen.append("gap \(gap.from)-\(gap.through) \(gap.reason)")
                        self.lastID = "\(epoch):\(gap.through)"
                    case .events(let events): seen += self.summaries(String(buffer: events))
                    }
                }
            }
            return seen
        }

        private func summaries(_ events: String) -> [String] {
            events.split(separator: "\n").compactMap { line in
                if line.hasPrefix("id: ") { self.lastID = String(line.dropFirst(4)) }
                guard line.hasPrefix("data: "), let frame = ReceivedFrame(String(line.dropFirst(6))) else { return nil }
                #expect(frame.isStamped)
                return frame.summary
            }
        }
    }

    private static func position(_ channel: String, _ broker: TestBroker, seq: UInt64 = 0) async -> Position {
        let room = await broker.ask { await $0.room(Self.key(channel)) }
        return Position(epoch: room.flatMap { Epoch($0.epoch) }, seq: seq)
    }

    @Test(arguments: ["test", "plain"], [1, 2])
    func `a reader gets what comes and is not a member`(channel: String, shards: Int) async {
        let broker = TestBroker(shards: shards)
        let ann = broker.connect(shard: shards - 1).joined("room", channel: channel)
        let reader = await Reader(broker, channel, after: await Self.position(channel, broker))
        ann.publish("room", "1")
        #expect(await reader.next(1) == ["publish 1"])
        ann.publish("room", "2")
        #expect(await reader.next(1) == ["publish 2"])
        #expect(await broker.ask { await $0.members(of: Self.key(channel)) }.count == 1)
        #expect(ann.summaries() == ["publish 1", "publish 2"])
    }

    @Test(arguments: ["test", "plain"])
    func `a reader gets all that is published once it follows`(channel: String) async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: channel)
        ann.publish("room", "1")
        let reader = await Reader(broker, channel)
        ann.publish("room", "2")
        #expect(await reader.next(1) == ["publish 2"])
    }

    @Test func `a room of a deleted channel has no readers`() async {
        let broker = TestBroker()
        await broker.ask { await $0.channelRemoved(.make("test")) }
        #expect(await Reader(broker).next(1) == ["end"])
    }

    @Test(arguments: ["test", "plain"])
    func `a reader that comes back gets what it has missed, once`(channel: String) async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: channel)
        for number in 1...5 { ann.publish("room", "\(number)") }
        let reader = await Reader(broker, channel, after: await Self.position(channel, broker, seq: 2))
        #expect(await reader.next(3) == ["publish 3", "publish 4", "publish 5"])
        ann.publish("room", "6")
        #expect(await reader.next(1) == ["publish 6"])
        let again = await Reader(broker, channel, after: reader.lastID.flatMap { Position(eventID: $0) })
        ann.publish("room", "7")
        #expect(await again.next(1) == ["publish 7"])
    }

    @Test func `what is stored while the store is read comes once and in order`() async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        for number in 1...250 { ann.say("room", "\(number)") }
        broker.run()
        let reader = await Reader(broker, after: await Self.position("test", broker))
        var seen = await reader.next(1)
        for number in 251...300 { ann.say("room", "\(number)") }
        seen += await reader.next(300 - seen.count)
        #expect(seen == (1...300).map { "publish \($0)" })
    }

    @Test func `a reader goes on within a chunk`() async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: "plain")
        // in one write, so that they are one chunk
        let lines = (1...4).map { "{\"type\":\"publish\",\"room\":\"room\",\"message\":\($0)}\n" }
        ann.sendBytes(lines.joined())
        broker.run()
        let reader = await Reader(broker, "plain", after: await Self.position("plain", broker, seq: 2))
        #expect(await reader.next(1) == ["publish 3", "publish 4"])
    }

    @Test func `a room without members is followed`() async {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        let reader = await Reader(broker, "plain", after: Position(epoch: nil, seq: 0))
        let bob = broker.connect().joined("room", channel: "plain")
        _ = await reader.next(1)
        bob.drop()
        ann.publish("room", "1")
        let seen = await reader.next(1)
        #expect(seen.last == "publish 1", "\(seen)")
    }

    @Test func `messages that are gone are named`() async {
        let broker = TestBroker(channels: [.make(history: 3)])
        let ann = broker.connect().joined("room")
        for number in 1...5 { ann.publish("room", "\(number)") }
        let reader = await Reader(broker, after: await Self.position("test", broker, seq: 1))
        #expect(await reader.next(2) == ["gap 2-2 trimmed", "publish 3", "publish 4", "publish 5"])
        let lost = await Reader(broker, after: Position(epoch: Epoch(rawValue: 7), seq: 2))
        #expect(await lost.next(1) == ["gap 1-5 epoch"])
        ann.publish("room", "6")
        #expect(await lost.next(1) == ["publish 6"])
    }

    @Test(arguments: ["test", "plain"])
    func `a reader hears that the room has begun anew`(channel: String) async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: channel)
        ann.publish("room", "1")
        let reader = await Reader(broker, channel, after: await Self.position(channel, broker))
        #expect(await reader.next(1) == ["publish 1"])
        _ = broker.clear(Self.key(channel))
        #expect(await reader.next(1) == ["gap 1-0 epoch"])
        ann.publish("room", "2")
        #expect(await reader.next(1) == ["publish 1"])
    }

    @Test func `a reader that is too slow loses the oldest and is told which`() async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: "plain")
        let reader = await Reader(broker, "plain", after: await Self.position("plain", broker))
        ann.publish("room", "0")
        #expect(await reader.next(1) == ["publish 1"])
        let text = "\"\(String(repeating: "x", count: 50_000))\""
        for _ in 0..<50 { ann.publish("room", text) }
        let first = await reader.next(1)[0]
        #expect(first.hasPrefix("gap 2-") && first.hasSuffix("slow"), "\(first)")
    }

    @Test func `a reader sees what was removed, and the end of its channel`() async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        let reader = await Reader(broker, after: await Self.position("test", broker))
        ann.publish("room", "1")
        _ = await reader.next(1)
        _ = try? await broker.ask { gateway in
            try await gateway.perform(.redact(.seq(1), reason: nil), in: Self.key("test"), by: .broker)
        }
        #expect(await reader.next(1) == ["message_redacted"])
        await broker.ask { await $0.channelRemoved(.make("test")) }
        #expect(await reader.next(1) == ["end"])
    }

    @Test func `nothing is kept of a reader that has gone`() async {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: "plain")
        var reader: Reader? = await Reader(broker, "plain", after: await Self.position("plain", broker))
        ann.publish("room", "1")
        #expect(await reader?.next(1) == ["publish 1"])
        let owner = broker.shards[0].onLoop.owner
        #expect(owner.watches.hasReaders(of: Self.key("plain")))
        reader = nil
        ann.publish("room", "2")
        #expect(!owner.watches.hasReaders(of: Self.key("plain")))
    }
}
