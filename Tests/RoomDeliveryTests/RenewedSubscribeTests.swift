import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A client subscribes to a room that it is in: it begins anew, without a message lost or sent twice.
struct RenewedSubscribeTests {
    private static let room = "observable-room"

    /// `ann` is in the room on the last shard, `bob` on the first one.
    private static func pair(
        shards: Int = 2,
        channel: String = "test",
        limits: BrokerLimits = .init(),
        _ fields: String = ""
    ) -> (TestBroker, ann: TestConnection, bob: TestConnection) {
        let broker = TestBroker(shards: shards, limits: limits)
        let ann = broker.connect(shard: shards - 1).joined(Self.room, channel: channel, fields)
        let bob = broker.connect().joined(Self.room, channel: channel)
        _ = ann.receive()
        return (broker, ann, bob)
    }

    private static func frame(_ fields: String = "", callback: Int = 90) -> String {
        #"{"type":"subscribe","room":"\#(Self.room)"\#(fields),"callback":\#(callback)}"#
    }

    private static func say(_ numbers: ClosedRange<Int>, by client: TestConnection, padding: Int = 0) {
        for number in numbers {
            client.say(Self.room, "\"\(number) \(String(repeating: "x", count: padding))\"")
            if padding > 0 { client.broker.run() }
        }
    }

    private static func seqs(_ frames: [ReceivedFrame]) -> [Int] {
        frames.filter { $0.type == "publish" }.compactMap(\.seq)
    }

    @Test(arguments: [1, 2], ["test", "plain"])
    func `it is answered with the members, and nobody is told`(shards: Int, channel: String) {
        let (_, ann, bob) = Self.pair(shards: shards, channel: channel)
        Self.say(1...2, by: bob)
        ann.send(Self.frame())
        Self.say(3...4, by: bob)
        let frames = ann.receive()
        #expect(Self.seqs(frames) == [1, 2, 3, 4])
        let rest = frames.filter { $0.type != "publish" }
        #expect(rest.map(\.summary) == ["reply 90", "observable_members"])
        #expect(rest.last?.list("data")?.count == 2)
        // what is up to the position of the reply came before it, the rest comes after it
        let before = frames.prefix { $0.callback == nil }.count
        #expect(rest.first?.seq == before)
        #expect(bob.summaries() == ["publish 1", "publish 2", "publish 3", "publish 4"])
    }

    @Test func `a member that left and came before it is in its list, and told no more`() {
        let (broker, ann, bob) = Self.pair()
        bob.unsubscribe(Self.room)
        bob.subscribe(Self.room)
        ann.send(Self.frame())
        let summaries = ann.summaries()
        #expect(
            summaries == [
                "observable_member_leave", "observable_member_join", "reply 90", "observable_members",
            ]
        )
        _ = broker.connect().joined(Self.room)
        #expect(ann.summaries() == ["observable_member_join"])
    }

    @Test func `history comes if it is asked for, between what was live and what is`() {
        let (_, ann, bob) = Self.pair()
        Self.say(1...5, by: bob)
        _ = ann.receive()
        ann.send(Self.frame(#","history_count":3"#))
        Self.say(6...6, by: bob)
        let frames = ann.receive().filter { $0.type != "publish" || $0.seq == 6 }
        let history = frames.filter { $0.type == "history_message" }
        #expect(history.map { $0.number("index") } == [0, 1, 2])
        #expect(Set(frames.compactMap(\.type)) == ["observable_members", "history_message", "publish"])
        let last = frames.first?.seq == 6 ? 6 : 5
        #expect(history.map(\.seq) == Array((last - 2)...last))
    }

    @Test(arguments: ["test", "plain"])
    func `what it was sent since its position does not come again`(channel: String) {
        let (_, ann, bob) = Self.pair(channel: channel)
        let epoch = ann.subscribe(Self.room)?.text("epoch") ?? ""
        Self.say(1...5, by: bob)
        _ = ann.receive()
        for seq in [0, 3, 5] {
            ann.send(Self.frame(#","since":{"epoch":"\#(epoch)","seq":\#(seq)}"#))
            let frames = ann.receive()
            #expect(frames.map(\.summary) == ["reply 90", "observable_members"])
            #expect(frames.first?.flag("recovered") == true)
        }
        ann.send(Self.frame(#","since":{"epoch":"0000000000000000","seq":3}"#))
        let frames = ann.receive()
        #expect(frames.map(\.summary) == ["reply 90", "observable_members", "gap 1-5 epoch"])
        #expect(frames.first?.flag("recovered") == false)
        Self.say(6...6, by: bob)
        #expect(ann.summaries() == ["publish 6"])
    }

    @Test(arguments: ["test", "plain"])
    func `a position from before it came brings all that is after it, in order`(channel: String) {
        let broker = TestBroker()
        let bob = broker.connect().joined(Self.room, channel: channel)
        Self.say(1...4, by: bob)
        let ann = broker.connect()
        ann.handshake(channel: channel)
        let epoch = ann.subscribe(Self.room)?.text("epoch") ?? ""
        Self.say(5...6, by: bob)
        _ = ann.receive()
        ann.send(Self.frame(#","since":{"epoch":"\#(epoch)","seq":2}"#))
        Self.say(7...7, by: bob)
        let frames = ann.receive().drop { $0.callback == nil }
        #expect(frames.first?.flag("recovered") == true)
        #expect(Self.seqs(Array(frames)) == [3, 4, 5, 6, 7])
        // from now on it has these, too
        ann.send(Self.frame(#","since":{"epoch":"\#(epoch)","seq":2}"#))
        #expect(ann.summaries() == ["reply 90", "observable_members"])
    }

    @Test(arguments: [1, 3])
    func `several rooms share one reply, and one that is named twice counts once`(shards: Int) {
        let (_, ann, bob) = Self.pair(shards: shards)
        let rooms = ["new", Self.room, "other", Self.room, "new"].map { "\"\($0)\"" }.joined(separator: ",")
        ann.send(#"{"type":"subscribe","rooms":[\#(rooms)],"callback":7}"#)
        Self.say(1...2, by: bob)
        let frames = ann.receive()
        let reply = frames.first { $0.callback != nil }
        #expect(reply?.list("rooms")?.map(\.room) == ["new", Self.room, "other"])
        #expect(reply?.list("rooms")?.allSatisfy { $0.code == nil && $0.text("epoch") != nil } ?? false)
        #expect(frames.count { $0.type == "observable_members" } == 1)
        #expect(Self.seqs(frames) == [1, 2])
        #expect(ann.request(#""type":"rooms""#)?.list("rooms")?.count == 3)
    }

    @Test(arguments: [1, 2])
    func `it waits for the answer to the subscribe before it`(shards: Int) {
        let broker = TestBroker(shards: shards)
        let ann = broker.connect()
        ann.handshake()
        let say = #"{"type":"publish","room":"\#(Self.room)","message":1}"#
        let frames = [
            Self.frame(callback: 1), say, Self.frame(callback: 2), say, Self.frame(callback: 3),
            #"{"type":"unsubscribe","room":"\#(Self.room)","callback":4}"#, say,
        ]
        ann.sendBytes(frames.joined(separator: "\n") + "\n")
        let received = ann.receive()
        #expect(received.compactMap(\.callback) == [1, 2, 3, 4])
        #expect(received.count { $0.type == "observable_members" } == 3)
        #expect(Self.seqs(received) == [1, 2])
        #expect(received.last?.callback == 4)
        #expect(broker.shards.allSatisfy { $0.onLoop.counters.members == 0 })
    }

    @Test(arguments: ["test", "plain"], ["", #","history_count":2"#])
    func `a slow reader gets all that came before it first`(channel: String, fields: String) {
        let (_, ann, bob) = Self.pair(channel: channel)
        ann.stopReading(after: 700)
        Self.say(1...10, by: bob, padding: 400)
        ann.send(Self.frame(fields))
        Self.say(11...12, by: bob, padding: 400)
        ann.send(#"{"type":"ping","callback":91}"#)
        ann.readOn()
        let frames = ann.receive()
        let place = frames.firstIndex { $0.callback == 90 } ?? 0
        #expect(Self.seqs(Array(frames[..<place])) == Array(1...10))
        #expect(frames[place].seq == 10)
        #expect(frames[place + 1].type == "observable_members")
        let history = frames.filter { $0.type == "history_message" }.compactMap(\.seq)
        #expect(history == (channel == "test" && !fields.isEmpty ? [9, 10] : []))
        #expect(Self.seqs(frames) == Array(1...12))
        #expect(frames.count { $0.callback == 91 } == 1)
    }

    @Test(arguments: ["disconnect", "drop_oldest", "latest"])
    func `a reader that the window has passed gets all from the store, and then the answer`(overflow: String) {
        var limits = BrokerLimits()
        limits.windowPerRoom = 8_000
        let (_, ann, bob) = Self.pair(limits: limits)
        ann.stopReading(after: 700)
        Self.say(1...10, by: bob, padding: 500)
        ann.send(Self.frame(#","overflow":"\#(overflow)""#))
        Self.say(11...100, by: bob, padding: 500)
        ann.readOn()
        Self.say(101...101, by: bob, padding: 500)
        let frames = ann.receive()
        #expect(Self.seqs(frames) == Array(1...101))
        #expect(frames.compactMap(\.callback) == [90])
        let place = frames.firstIndex { $0.callback == 90 } ?? 0
        #expect(frames[place + 1].type == "observable_members")
        // a `since` of one who reads the reply would not be older than what came
        #expect(frames[place].seq == Self.seqs(Array(frames[..<place])).last)
    }

    @Test func `its overflow takes the place of the one before`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 8_000
        let (_, ann, bob) = Self.pair(channel: "plain", limits: limits)
        ann.subscribe(Self.room, #","overflow":"latest""#)
        ann.stopReading(after: 700)
        Self.say(1...60, by: bob, padding: 500)
        ann.readOn()
        #expect(ann.summaries().contains { $0.hasPrefix("gap") && $0.hasSuffix("60 slow") })
        ann.subscribe(Self.room)
        ann.stopReading(after: 700)
        Self.say(61...120, by: bob, padding: 500)
        ann.readOn()
        #expect(ann.summaries().last == "goodbye")
    }

    @Test(arguments: ["room", room], [1, 2])
    func `one that waits while the log goes on further gets each message once`(room: String, shards: Int) {
        let broker = TestBroker(shards: shards)
        let bob = broker.connect()
        bob.handshake()
        let text = "\"\(String(repeating: "x", count: 400))\""
        for _ in 1...3 { bob.publish(room, text) }
        let epoch = broker.engine.epoch(of: .make(room))?.description ?? ""
        let ann = broker.connect(shard: shards - 1)
        ann.handshake()
        ann.stopReading(after: 700)
        let subscribe = #""type":"subscribe","room":"\#(room)","since":{"epoch":"\#(epoch)","seq":0}"#
        let first = ann.post(subscribe)
        broker.run()
        broker.engine.failNext(.append, .unavailableButDone)
        let second = ann.post(subscribe)
        bob.say(room, text)
        broker.run()
        for _ in 5...6 { bob.say(room, text) }
        broker.run()
        ann.readOn()
        let frames = ann.receive()
        #expect(Self.seqs(frames) == Array(1...6))
        #expect(frames.compactMap(\.callback) == [first, second])
        let place = frames.firstIndex { $0.callback == second } ?? 0
        #expect(frames[place].seq == Self.seqs(Array(frames[..<place])).last)
    }

    @Test func `a resumed session can do it, too`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect().joined(Self.room)
        let ann = ResumableClient(broker, [Self.room], shard: 0)
        _ = watcher.receive()
        let token = ann.token
        ann.client.drop()
        let again = broker.connect(shard: 1)
        #expect(again.handshake(#","resume":"\#(token)""#)?.flag("resumed") == true)
        for _ in 0..<2 { #expect(again.subscribe(Self.room)?.code == nil) }
        watcher.publish(Self.room, "1")
        #expect(again.summaries() == ["observable_members", "observable_members", "publish 1"])
        #expect(watcher.summaries() == ["publish 1"])
    }

    @Test func `one that is kicked while it waits hears of both`() {
        let (broker, ann, bob) = Self.pair()
        let id = ann.request(#""type":"members","room":"\#(Self.room)""#)?.list("members")?.last?.text("id") ?? ""
        ann.stopReading(after: 700)
        Self.say(1...10, by: bob, padding: 400)
        ann.send(Self.frame())
        broker.run()
        broker.kick(id, from: Self.room)
        broker.run()
        ann.readOn()
        let frames = ann.receive().filter { $0.type != "publish" }
        #expect(frames.map(\.summary).sorted() == ["kicked", "removed"])
        #expect(frames.allSatisfy { $0.code == "kicked" })
        #expect(ann.subscribe(Self.room)?.code == nil)
        let told = bob.summaries().filter { !$0.hasPrefix("publish") }
        #expect(told == ["observable_member_leave", "observable_member_join"])
    }

    @Test func `the broker's own repeat does not undo a kick`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 3_000
        let (broker, ann, bob) = Self.pair(shards: 1, channel: "plain", limits: limits, #","overflow":"drop_oldest""#)
        let id = ann.request(#""type":"members","room":"\#(Self.room)""#)?.list("members")?.last?.text("id") ?? ""
        ann.stopReading(after: 700)
        Self.say(1...3, by: bob, padding: 400)
        ann.send(Self.frame(#","overflow":"drop_oldest""#))
        broker.run()
        Self.say(4...20, by: bob, padding: 400)
        let key = RoomKey.make(Self.room, channel: "plain")
        broker.shards[0].onLoop.owner.acts.perform(.kick(ClientID(id), reason: nil), in: key, by: .make("mod")) { _ in }
        // finds that it has fallen behind, and has to ask again
        ann.readOn()
        broker.run()
        let frames = ann.receive().filter { $0.type != "publish" && $0.type != "gap" }
        #expect(frames.map(\.summary).sorted() == ["kicked", "removed"])
        let told = bob.summaries().filter { !$0.hasPrefix("publish") }
        #expect(told == ["observable_member_leave"])
    }

    @Test(arguments: [1, 2])
    func `one that is banned and let in again before it is answered comes in anew`(shards: Int) {
        let (broker, ann, bob) = Self.pair(shards: shards)
        let id = ann.request(#""type":"members","room":"\#(Self.room)""#)?.list("members")?.last?.text("id") ?? ""
        broker.engine.hold()
        Self.say(1...1, by: bob)
        broker.run()
        ann.send(Self.frame())
        broker.run()
        let ban = Sanction.imposed(on: .client(id), in: Self.room)
        broker.impose(ban)
        broker.lift(ban)
        broker.run()
        broker.engine.release()
        let reply = ann.receive().first { $0.callback == 90 }
        #expect(reply != nil && reply?.code == nil)
        #expect(bob.request(#""type":"members","room":"\#(Self.room)""#)?.number("count") == 2)
        #expect(bob.publish(Self.room, "2")?.seq == 2)
        #expect(ann.summaries() == ["publish 2"])
    }

    @Test func `a mute that ends while it waits is told`() {
        let (broker, ann, _) = Self.pair(shards: 1)
        broker.impose(.imposed(.mute, on: .network("127.0.0.1"), in: Self.room, seconds: 60))
        broker.run()
        #expect(ann.summaries() == ["muted"])
        broker.engine.hold()
        ann.send(#"{"type":"subscribe","rooms":["\#(Self.room)","new"],"callback":7}"#)
        broker.run()
        broker.moderate { $0.sanctions = .init() }
        broker.run()
        broker.engine.release()
        broker.run()
        #expect(ann.summaries().filter { $0 == "unmuted" }.count == 1)
    }

    @Test(arguments: [1, 2])
    func `one that is kicked before it arrives comes in anew`(shards: Int) {
        let (broker, ann, bob) = Self.pair(shards: shards)
        let id = ann.request(#""type":"members","room":"\#(Self.room)""#)?.list("members")?.last?.text("id") ?? ""
        broker.engine.hold()
        Self.say(1...1, by: bob)
        broker.run()
        broker.kick(id, from: Self.room)
        ann.send(Self.frame())
        broker.run()
        broker.engine.release()
        let summaries = ann.summaries()
        #expect(summaries == ["publish 1", "removed", "reply 90", "observable_members"])
        bob.publish(Self.room, "2")
        #expect(ann.summaries() == ["publish 2"])
        #expect(broker.shards.reduce(0) { $0 + $1.onLoop.counters.members } == 2)
    }

    @Test(arguments: ["test", "plain"])
    func `a room that is cleared while it waits is told as cleared`(channel: String) {
        let (broker, ann, bob) = Self.pair(channel: channel)
        ann.stopReading(after: 700)
        Self.say(1...10, by: bob, padding: 400)
        ann.send(Self.frame())
        broker.run()
        let answer = broker.clear(.make(Self.room, channel: channel))
        broker.run()
        ann.readOn()
        Self.say(1...1, by: bob)
        let frames = ann.receive()
        let place = frames.firstIndex { $0.type == "room_cleared" } ?? 0
        let rest = frames[place...].filter { $0.type != "observable_members" }
        #expect(rest.map(\.summary) == ["room_cleared", "reply 90", "publish 1"])
        #expect(rest.first { $0.callback != nil }?.text("epoch") == answer.value?.description)
    }

    @Test func `it costs what a first subscribe costs`() throws {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        let share = try #require(broker.shards[0].onLoop.connections[broker.shards[0].onLoop.connections.numbers[0]])
        func cost() -> Int {
            let before = share.share.spent
            ann.subscribe(Self.room)
            return share.share.spent - before
        }
        let first = cost()
        for _ in 0..<3 { #expect(cost() == first) }
    }
}
