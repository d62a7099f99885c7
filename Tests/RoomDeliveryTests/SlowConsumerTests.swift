import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomDelivery

/// A member that does not read costs nobody anything, and gets what it chose.
struct SlowConsumerTests {
    /// A window of a few messages.
    private static func broker(shards: Int = 1) -> TestBroker {
        var limits = BrokerLimits()
        limits.windowPerRoom = 8_000
        return TestBroker(shards: shards, limits: limits)
    }

    private static func flood(_ room: String, by client: TestConnection, count: Int) {
        for number in 1...count {
            client.say(room, "\"\(number) \(String(repeating: "x", count: 500))\"")
            client.broker.run()
        }
    }

    @Test(arguments: [1, 2])
    func `a slow consumer is told and others still receive`(shards: Int) {
        let broker = Self.broker(shards: shards)
        let (fast, slow) = (broker.connect(), broker.connect(shard: shards - 1))
        _ = (fast.joined("room", channel: "plain"), slow.joined("room", channel: "plain"))
        slow.stopReading(after: 700)

        Self.flood("room", by: fast, count: 60)

        #expect(fast.receive().map(\.seq) == Array(1...60))
        slow.readOn()
        #expect(slow.summaries().last == "goodbye")
        #expect(slow.isClosed)
    }

    @Test func `with drop_oldest it jumps to the start of the window, after an exact gap`() {
        let broker = Self.broker()
        let (fast, slow) = (broker.connect(), broker.connect())
        _ = fast.joined("room", channel: "plain")
        _ = slow.joined("room", channel: "plain", #","overflow":"drop_oldest""#)
        slow.stopReading(after: 700)
        Self.flood("room", by: fast, count: 60)
        slow.readOn()

        let frames = slow.receive()
        let gap = frames.first { $0.type == "gap" }
        let before = frames.prefix { $0.type != "gap" }.compactMap(\.seq)
        let after = frames.drop { $0.type != "gap" }.dropFirst().compactMap(\.seq)
        #expect(gap?.text("reason") == "slow")
        #expect(gap?.number("from_seq") == (before.last ?? 0) + 1)
        #expect(gap?.number("to_seq") == (after.first ?? 0) - 1)
        #expect(before + after == Array(1...before.count) + Array((61 - after.count)...60))
        #expect(after.count > 3)
    }

    @Test func `what it is to replay may leave the window before it begins`() throws {
        let broker = Self.broker()
        let (fast, late) = (broker.connect(), broker.connect())
        _ = fast.joined("room", channel: "plain")
        _ = late.joined("room", channel: "plain", #","overflow":"drop_oldest""#)
        Self.flood("room", by: fast, count: 60)
        _ = late.receive()
        let key = RoomKey.make("room", channel: "plain")
        let replica = try #require(broker.shards[0].onLoop.local.replicas[key])
        let subscriber = try #require(replica.subscribers.last)

        // as the owner answered when the newest message was the tenth
        let join = JoinCommand(
            connection: subscriber.connection.ref,
            member: subscriber.member.session.identity.sender,
            clientID: subscriber.member.clientID,
            wireFormat: .jsonLines,
            start: .resync(seq: 2, .dropOldest)
        )
        let grant = JoinGrant(epoch: replica.epoch, seq: 10, replay: .window(after: 2))
        subscriber.lastSeq = 2
        subscriber.begin(Admission(join: join, grant: grant), at: subscriber.cursor)
        broker.run()

        let frames = late.receive()
        #expect(frames.first?.type == "gap")
        #expect(frames.first?.number("from_seq") == 3)
        let seqs = frames.dropFirst().compactMap(\.seq)
        #expect(frames.first?.number("to_seq") == (seqs.first ?? 0) - 1)
        #expect(seqs == Array((61 - seqs.count)...60))
        #expect(seqs.count > 3)
    }

    @Test func `with latest it jumps to the newest message, after an exact gap`() {
        let broker = Self.broker()
        let (fast, slow) = (broker.connect(), broker.connect())
        _ = fast.joined("room", channel: "plain")
        _ = slow.joined("room", channel: "plain", #","overflow":"latest""#)
        slow.stopReading(after: 700)
        Self.flood("room", by: fast, count: 60)
        slow.readOn()
        fast.publish("room", "1")

        let frames = slow.receive()
        let gap = frames.first { $0.type == "gap" }
        #expect(gap?.number("to_seq") == 60)
        #expect(gap?.number("from_seq") == frames.prefix { $0.type != "gap" }.count + 1)
        #expect(frames.last?.seq == 61)
    }

    @Test(arguments: ["disconnect", "drop_oldest", "latest"])
    func `with history a laggard gets everything, from the store`(overflow: String) {
        let broker = Self.broker(shards: 2)
        let (fast, slow) = (broker.connect(), broker.connect(shard: 1))
        _ = fast.joined("room")
        _ = slow.joined("room", #","overflow":"\#(overflow)""#)
        slow.stopReading(after: 700)
        Self.flood("room", by: fast, count: 300)
        slow.readOn()
        fast.publish("room", "1")
        #expect(slow.receive().map(\.seq) == Array(1...301))
    }

    @Test func `what it is served from the store is told once where it is gone meanwhile`() {
        let broker = Self.broker()
        let (fast, slow) = (broker.connect(), broker.connect())
        _ = (fast.joined("room"), slow.joined("room"))
        slow.stopReading(after: 700)
        Self.flood("room", by: fast, count: 300)
        broker.engine.hold()
        slow.read(bytes: 4_000)
        broker.engine.trim(.make("room"), through: 250)
        broker.engine.release()
        slow.read(bytes: 1_000)
        slow.read(bytes: 0)
        slow.readOn()

        let frames = slow.receive()
        let gaps = frames.filter { $0.type == "gap" }
        #expect(gaps.count == 1)
        #expect(gaps.first?.number("to_seq") == 250)
        #expect(frames.last?.seq == 300)
        #expect(Set(frames.compactMap(\.seq)).count == frames.compactMap(\.seq).count)
    }

    @Test func `after a jump in an observable room the members come anew`() {
        let broker = Self.broker()
        let (fast, slow) = (broker.connect(), broker.connect())
        _ = fast.joined("observable-room", channel: "plain")
        _ = slow.joined("observable-room", channel: "plain", #","overflow":"latest""#)
        slow.stopReading(after: 700)
        let late = broker.connect().joined("observable-room", channel: "plain")
        Self.flood("observable-room", by: fast, count: 60)
        late.drop()
        slow.readOn()

        let frames = slow.receive()
        let members = frames.last { $0.type == "observable_members" }
        #expect(members?.list("data")?.count == 2)
        #expect(members?.number("count") == 2)
        #expect(members?.keys.contains("truncated") == false)
        let kinds = frames.map { $0.type ?? "" }
        #expect(kinds.firstIndex(of: "gap").map { $0 + 1 } == kinds.lastIndex(of: "observable_members"))
    }

    @Test func `replies get through between the frames of a full connection`() {
        let broker = Self.broker()
        let (fast, slow) = (broker.connect(), broker.connect())
        _ = (fast.joined("room"), slow.joined("room"))
        slow.stopReading(after: 700)
        Self.flood("room", by: fast, count: 100)
        let callback = slow.post(#""type":"ping""#)
        broker.run()
        slow.read(bytes: 1_500)
        #expect(slow.reply(to: callback) != nil)
        #expect(!slow.socket.hasOvertaken)
    }

    @Test func `what waits in a slow member's pipeline keeps no chunk alive`() {
        let broker = TestBroker()
        let (fast, slow) = (broker.connect(), broker.connect())
        _ = (fast.joined("room", channel: "plain"), slow.joined("room", channel: "plain"))
        slow.stopReading(after: 700)
        for number in 1...300 { fast.say("room", "\"\(number) \(String(repeating: "x", count: 500))\"") }
        broker.run()
        #expect(slow.socket.pendingCapacity < 4_096)
    }
}
