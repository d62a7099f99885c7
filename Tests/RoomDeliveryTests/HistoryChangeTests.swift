import NIOCore
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import Testing

/// History that is turned on and off, and kept otherwise, while people are in the rooms.
struct HistoryChangeTests {
    private static let on = ChannelSettings.make(history: 100)
    private static let off = ChannelSettings.make(history: nil)

    private static func member(
        _ broker: TestBroker,
        _ room: String = "room",
        shard: Int = 0
    ) -> (TestConnection, String) {
        let client = broker.connect(shard: shard)
        client.handshake()
        let epoch = client.subscribe(room)?.text("epoch") ?? ""
        _ = client.receive()
        return (client, epoch)
    }

    @Test(arguments: [1, 2])
    func `turned off, another log begins, which is told behind all that was published before`(shards: Int) {
        let broker = TestBroker(shards: shards, channels: [Self.on])
        let (ann, epoch) = Self.member(broker, "observable-room")
        let (bob, _) = Self.member(broker, "observable-room", shard: shards - 1)
        ann.publish("observable-room", "1")
        _ = (ann.receive(), bob.receive())
        broker.change(Self.off)
        #expect(ann.publish("observable-room", "2")?.seq == 1)
        for client in [ann, bob] {
            let frames = client.receive()
            #expect(frames.map(\.summary) == ["gap 1-0 epoch", "observable_members", "publish 1"])
            #expect(frames.first?.text("epoch") != epoch)
        }
        #expect(broker.engine.entries(of: .make("observable-room")).count == 1)
        #expect(ann.history("observable-room")?.code == "history_off")
        let late = broker.connect()
        late.handshake()
        let reply = late.subscribe("observable-room", #","since":{"epoch":"\#(epoch)","seq":1}"#)
        #expect(reply?.flag("recovered") == false)
        #expect(late.summaries() == ["observable_members", "gap 1-1 epoch"])
    }

    @Test func `turned off, the log is not used any more, at once or when what is under way is stored`() {
        let broker = TestBroker(channels: [Self.on])
        let (ann, _) = Self.member(broker)
        _ = Self.member(broker, "other")
        broker.engine.hold()
        ann.say("room", "1")
        broker.run()
        broker.change(Self.off)
        #expect(broker.engine.closed == [.make("other")])
        broker.engine.release()
        broker.run()
        #expect(broker.engine.closed == [.make("other"), .make("room")])
    }

    @Test(arguments: [1, 2])
    func `turned on, a log begins with the next message`(shards: Int) {
        let broker = TestBroker(shards: shards, channels: [Self.off])
        let (ann, epoch) = Self.member(broker)
        let (bob, _) = Self.member(broker, shard: shards - 1)
        ann.publish("room", "1")
        _ = (ann.receive(), bob.receive())
        broker.change(Self.on)
        #expect(ann.publish("room", "2")?.seq == 1)
        for client in [ann, bob] {
            let frames = client.receive()
            #expect(frames.map(\.summary) == ["gap 1-0 epoch", "publish 1"])
            #expect(frames.first?.text("epoch") != epoch)
        }
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [1])
    }

    @Test func `off and on again goes on with the log, where nobody has cleared it`() {
        let broker = TestBroker(channels: [Self.on])
        let (ann, epoch) = Self.member(broker)
        ann.publish("room", "1")
        broker.change(Self.off)
        ann.publish("room", "2")
        broker.change(Self.on)
        #expect(ann.publish("room", "3")?.seq == 2)
        let frames = ann.receive()
        #expect(frames.map(\.summary) == ["publish 1", "gap 1-0 epoch", "publish 1", "gap 1-1 epoch", "publish 2"])
        #expect(frames[3].text("epoch") == epoch)
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [1, 2])
    }

    @Test func `changed to and fro before anything happens it is told once`() {
        let broker = TestBroker(channels: [Self.on])
        let (ann, _) = Self.member(broker)
        ann.publish("room", "1")
        _ = ann.receive()
        for shard in broker.shards {
            for settings in [Self.off, Self.on, Self.off] {
                shard.onLoop.channelChanged(RoomChannel(settings: settings, usage: broker.channel()?.usage ?? .init()))
            }
        }
        ann.publish("room", "2")
        #expect(ann.summaries() == ["gap 1-0 epoch", "publish 1"])
    }

    @Test(arguments: [1, 2], [false, true])
    func `a batch at the store is stored and delivered, then the log ends`(shards: Int, fails: Bool) {
        let broker = TestBroker(shards: shards, channels: [Self.on])
        let (ann, _) = Self.member(broker)
        let (bob, _) = Self.member(broker, shard: shards - 1)
        broker.engine.hold()
        let first = ann.post(#""type":"publish","room":"room","message":1"#)
        broker.run()
        let second = ann.post(#""type":"publish","room":"room","message":2"#)
        broker.change(Self.off)
        #expect(ann.summaries() == [])
        if fails { broker.engine.failNext(.append, .unavailable) }
        broker.engine.release()
        #expect(ann.reply(to: first)?.code == (fails ? "storage_unavailable" : nil))
        #expect(ann.reply(to: second)?.seq == 1)
        let expected = (fails ? [] : ["publish 1"]) + ["gap 1-0 epoch", "publish 1"]
        #expect(ann.summaries() == expected)
        #expect(bob.summaries() == expected)
        #expect(broker.engine.entries(of: .make("room")).count == (fails ? 0 : 1))
    }

    @Test(arguments: [false, true])
    func `a log that is being opened is not used any more`(fails: Bool) {
        let broker = TestBroker(channels: [Self.on])
        broker.engine.hold()
        let ann = broker.connect()
        ann.handshake()
        let join = ann.post(#""type":"subscribe","room":"room""#)
        let publish = ann.post(#""type":"publish","room":"room","message":1"#)
        broker.run()
        broker.change(Self.off)
        if fails { broker.engine.failNext(.open, .unavailable) }
        broker.engine.release()
        #expect(ann.reply(to: join)?.code == nil)
        #expect(ann.reply(to: publish)?.code == (fails ? "storage_unavailable" : nil))
        #expect(ann.publish("room", "2")?.code == nil)
        #expect(broker.engine.entries(of: .make("room")).isEmpty)
        #expect(ann.summaries().filter { $0.hasPrefix("publish") }.count == (fails ? 1 : 2))
    }

    @Test func `a room whose log cannot be opened is free of it at once`() {
        let broker = TestBroker(channels: [Self.on])
        broker.engine.failNext(.open, .unavailable)
        let (ann, _) = Self.member(broker)
        broker.engine.failNext(.open, .unavailable)
        #expect(ann.publish("room", "1")?.code == "storage_unavailable")
        broker.change(Self.off)
        #expect(ann.publish("room", "1")?.seq == 1)
        broker.change(Self.on)
        broker.engine.failNext(.open, .unavailable)
        #expect(ann.publish("room", "2")?.code == "storage_unavailable")
        #expect(ann.publish("room", "3")?.seq == 1)
        #expect(ann.summaries().filter { $0.hasPrefix("publish") } == ["publish 1", "publish 1"])
    }

    @Test(arguments: [true, false])
    func `a repeat is known on the other side, without the seq of a log that has ended`(wasOn: Bool) {
        let (before, after) = wasOn ? (Self.on, Self.off) : (Self.off, Self.on)
        let broker = TestBroker(channels: [before])
        let (ann, _) = Self.member(broker)
        let id = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#
        let first = ann.publish("room", "1", id)
        broker.change(after)
        ann.publish("room", "2")
        let again = ann.publish("room", "1", id)
        #expect(again?.flag("duplicate") == true)
        #expect(again?.text("id") == first?.text("id"))
        #expect(again?.keys.contains("seq") == false)
        #expect(ann.publish("room", "3", id)?.code == "message_id_conflict")
        #expect(ann.summaries() == ["publish 1", "gap 1-0 epoch", "publish 1"])
    }

    @Test func `a member that lags is given what it has not got before the log ends, as far as it reads`() {
        let broker = TestBroker(shards: 2, channels: [Self.on])
        let (ann, _) = Self.member(broker)
        let (bob, _) = Self.member(broker, shard: 1)
        bob.stopReading(after: 1_000)
        for number in 1...20 { ann.publish("room", "\(number)") }
        broker.change(Self.off)
        ann.publish("room", "21")
        bob.readOn()
        let summaries = bob.summaries()
        #expect(summaries.suffix(2) == ["gap 1-0 epoch", "publish 1"])
        #expect(ann.summaries().count == 22)
    }

    @Test func `rules by room name decide before the channel`() {
        let rules = [
            HistoryRule(pattern: "^keep-", history: HistorySettings(count: 2)),
            HistoryRule(pattern: "tmp", history: nil),
        ]
        let broker = TestBroker(channels: [Self.on.with { $0.historyRules = rules }])
        let ann = broker.connect()
        ann.handshake()
        for room in ["keep-a", "tmp-a", "other"] { for _ in 0..<3 { ann.publish(room, "1") } }
        #expect(ann.history("keep-a")?.list("messages")?.map(\.seq) == [2, 3])
        #expect(ann.history("tmp-a")?.code == "history_off")
        #expect(ann.history("other")?.list("messages")?.count == 3)
        broker.change(
            Self.off.with { $0.historyRules = [HistoryRule(pattern: "tmp", history: HistorySettings(count: 9))] }
        )
        for room in ["keep-a", "tmp-a", "other"] { ann.publish(room, "2") }
        #expect(ann.history("keep-a")?.code == "history_off")
        #expect(ann.history("tmp-a")?.list("messages")?.map(\.seq) == [1])
        #expect(ann.history("other")?.code == "history_off")
    }

    @Test func `count, age and durability hold from the next message on`() {
        let broker = TestBroker(channels: [Self.on])
        let (ann, epoch) = Self.member(broker)
        for _ in 0..<10 { ann.publish("room", "1") }
        broker.change(
            Self.on.with {
                $0.history = HistorySettings(count: 3)
                $0.durability = .power
            }
        )
        ann.publish("room", "2")
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [9, 10, 11])
        #expect(broker.engine.durabilities.last == .power)
        #expect(ann.receive().map(\.seq) == Array(1...11), "nobody is told anything: it is the same log")
        #expect(ann.request(#""type":"rooms""#)?.list("rooms")?.first?.text("epoch") == epoch)
        broker.change(Self.on.with { $0.history = HistorySettings(count: 100, age: .seconds(10)) })
        broker.advance(by: .seconds(20))
        ann.publish("room", "3")
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [12])
    }

    @Test func `history messages are numbered as the channel says now`() {
        let broker = TestBroker(channels: [Self.on])
        let (ann, _) = Self.member(broker)
        for _ in 0..<4 { ann.publish("room", "1") }
        func indexes() -> [Int] {
            let client = broker.connect()
            client.handshake()
            client.subscribe("room", #","history_count":3"#)
            return client.receive().compactMap { $0.number("index") }
        }
        #expect(indexes() == [0, 1, 2])
        broker.change(Self.on.with { $0.historyOrder = .newestFirst })
        #expect(indexes() == [2, 1, 0])
    }
}
