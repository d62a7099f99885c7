import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// A client that comes back with `since` ends with exactly the log, or with an exact gap.
struct RecoveryTests {
    private static func room(_ broker: TestBroker, channel: String = "test", messages: Int) -> (TestConnection, String)
    {
        let ann = broker.connect()
        ann.handshake(channel: channel)
        let epoch = ann.subscribe("room")?.text("epoch") ?? ""
        for number in 0..<messages { ann.publish("room", "\(number + 1)") }
        _ = ann.receive()
        return (ann, epoch)
    }

    private static func since(_ epoch: String, _ seq: Int) -> String {
        ",\"since\":{\"epoch\":\"\(epoch)\",\"seq\":\(seq)}"
    }

    @Test(arguments: ["test", "plain"], [0, 3, 9, 10])
    func `what was missed follows the reply, then live`(channel: String, seq: Int) {
        let broker = TestBroker(shards: 2)
        let (ann, epoch) = Self.room(broker, channel: channel, messages: 10)
        let bob = broker.connect(shard: 1)
        bob.handshake(channel: channel)
        let reply = bob.subscribe("room", Self.since(epoch, seq))
        ann.say("room", "11")
        #expect(reply?.flag("recovered") == true)
        #expect(reply?.seq == 10)
        #expect(bob.receive().map(\.seq) == Array(seq + 1...11))
    }

    @Test(arguments: [0, 4, 5, 8])
    func `what the store has trimmed is a gap of exactly that`(seq: Int) {
        let broker = TestBroker(channels: [.make("test", history: 5)])
        let (ann, epoch) = Self.room(broker, messages: 10)
        ann.unsubscribe("room")
        let reply = ann.subscribe("room", Self.since(epoch, seq))
        #expect(reply?.flag("recovered") == (seq >= 5))
        let expected = seq < 5 ? ["gap \(seq + 1)-5 trimmed"] : []
        #expect(ann.summaries() == expected + (max(seq, 5) + 1...10).map { "publish \($0)" })
    }

    @Test(arguments: [("00000000000000ff", 3), ("nonsense", 3), (nil, 11)] as [(String?, Int)])
    func `another epoch or a position above the newest replays nothing`(epoch: String?, seq: Int) {
        let broker = TestBroker()
        let (_, known) = Self.room(broker, messages: 10)
        let bob = broker.connect()
        bob.handshake()
        let reply = bob.subscribe("room", Self.since(epoch ?? known, seq))
        #expect(reply?.flag("recovered") == false)
        #expect(bob.summaries() == ["gap 1-10 epoch"])
    }

    @Test func `without history it reaches as far as the window`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 1_500
        let broker = TestBroker(limits: limits)
        let (_, epoch) = Self.room(broker, channel: "plain", messages: 40)
        let bob = broker.connect()
        bob.handshake(channel: "plain")
        let reply = bob.subscribe("room", Self.since(epoch, 2))
        let frames = bob.receive()
        let start = frames.dropFirst().first?.seq ?? 0
        #expect(reply?.flag("recovered") == false)
        #expect(frames.first?.summary == "gap 3-\(start - 1) trimmed")
        #expect(frames.dropFirst().map(\.seq) == Array(start...40))
    }

    @Test func `presence is not replayed`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        let epoch = ann.subscribe("observable-room")?.text("epoch") ?? ""
        ann.publish("observable-room", "1")
        broker.connect().joined("observable-room", channel: "plain").drop()
        ann.publish("observable-room", "2")
        let bob = broker.connect()
        bob.handshake(channel: "plain")
        bob.subscribe("observable-room", Self.since(epoch, 0))
        #expect(bob.summaries() == ["observable_members", "publish 1", "publish 2"])
    }

    @Test func `history_count gives the newest messages with an index from zero`() {
        let broker = TestBroker()
        let (ann, _) = Self.room(broker, messages: 10)
        let bob = broker.connect()
        bob.handshake()
        bob.subscribe("room", #","history_count":3"#)
        ann.say("room", "11")
        let frames = bob.receive()
        #expect(
            frames.map(\.summary) == ["history_message 8", "history_message 9", "history_message 10", "publish 11"]
        )
        #expect(frames.compactMap { $0.number("index") } == [0, 1, 2])
    }

    @Test func `what expires while a page is read is told as a gap`() {
        let broker = TestBroker(channels: [.make("test", history: 1_000, age: .seconds(60))])
        let (ann, epoch) = Self.room(broker, messages: 5)
        broker.advance(by: .seconds(70))
        ann.unsubscribe("room")
        ann.publish("room", "6")
        ann.subscribe("room", Self.since(epoch, 0))
        #expect(ann.summaries() == ["gap 1-5 expired", "publish 6"])
    }

    @Test func `what later messages push out while a page is read is told as such`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 1
        let broker = TestBroker(channels: [.make("test", history: 3)], limits: limits)
        let (ann, epoch) = Self.room(broker, messages: 3)
        let bob = broker.connect()
        bob.handshake()
        broker.engine.hold()
        bob.subscribe("room", Self.since(epoch, 0))
        for number in 4...5 {
            ann.say("room", "\(number)")
            broker.run()
            // the append; the read of the page waits
            broker.engine.releaseLast()
            broker.run()
        }
        broker.engine.release()
        broker.run()
        #expect(bob.summaries() == ["gap 1-2 trimmed", "publish 3", "publish 4", "publish 5"])
    }

    @Test(
        arguments: [
            ("", 1...10, false), (#","limit":4"#, 7...10, true), (#","before_seq":5,"limit":2"#, 3...4, true),
            (#","after_seq":5,"limit":3"#, 6...8, true), (#","after_seq":7"#, 8...10, false),
        ] as [(String, ClosedRange<Int>, Bool)]
    )
    func `history is answered in ascending order, with whether there is more`(
        fields: String,
        seqs: ClosedRange<Int>,
        more: Bool
    ) {
        let (ann, _) = Self.room(TestBroker(), messages: 10)
        let reply = ann.history("room", fields)
        #expect(reply?.list("messages")?.map { $0.seq ?? 0 } == Array(seqs))
        #expect(reply?.flag("more") == more)
        #expect(reply?.list("messages")?.allSatisfy { $0.type == "publish" && $0.isStamped } == true)
    }

    @Test func `history waits for what this connection published before`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        ann.say("room", "1")
        #expect(ann.history("room")?.list("messages")?.count == 1)
    }

    @Test func `queries are answered one at a time, in order`() {
        let broker = TestBroker()
        let (ann, _) = Self.room(broker, messages: 3)
        broker.engine.hold()
        let callbacks = (0..<5).map { _ in ann.post(#""type":"history","room":"room""#) }
        broker.run()
        #expect(broker.engine.waiting.count == 1)
        broker.engine.release()
        #expect(ann.receive().map(\.callback) == callbacks)
    }
}
