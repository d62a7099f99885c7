import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Members who are served from a log that is lost meanwhile, or has to be opened again.
struct LostLogTests {
    /// Somebody who has published 1 to 3, and the epoch of the room.
    private static func publisher(_ broker: TestBroker) -> (TestConnection, epoch: String) {
        let ann = broker.connect()
        ann.handshake()
        for number in 1...3 { ann.publish("room", "\(number)") }
        return (ann, broker.engine.epoch(of: .make("room"))?.description ?? "")
    }

    private static let history = ["history_message 1", "history_message 2", "history_message 3"]

    /// Subscribes with a history, of which nothing is read when an append fails.
    ///
    /// - Returns: the callback of the subscribe.
    private static func subscribe(_ bob: TestConnection, _ ann: TestConnection, _ fault: MemoryEngine.Fault) -> Int {
        let broker = bob.broker
        broker.engine.hold()
        let callback = bob.post(#""type":"subscribe","room":"room","history_count":3"#)
        broker.run()
        ann.say("room", "4")
        broker.run()
        #expect(broker.engine.waiting == [.read, .append])
        broker.engine.failNext(.append, fault)
        broker.engine.releaseLast()
        broker.run()
        return callback
    }

    @Test(arguments: [MemoryEngine.Fault.unavailable, .unavailableButDone])
    func `a history whose log is opened again goes on as history`(fault: MemoryEngine.Fault) {
        let broker = TestBroker()
        let (ann, _) = Self.publisher(broker)
        let bob = broker.connect()
        bob.handshake()
        let callback = Self.subscribe(bob, ann, fault)
        broker.engine.release()
        #expect(bob.reply(to: callback)?.seq == 3)
        #expect(bob.summaries() == Self.history + (fault == .unavailable ? [] : ["publish 4"]))
        let next = ann.publish("room", "5")?.seq ?? 0
        #expect(bob.summaries() == ["publish \(next)"])
    }

    @Test(arguments: [MemoryEngine.Fault.unavailable, .unavailableButDone], [true, false])
    func `who comes in with a commit that fails gets what was stored before`(fault: MemoryEngine.Fault, isBack: Bool) {
        let broker = TestBroker()
        let (ann, epoch) = Self.publisher(broker)
        let bob = broker.connect()
        bob.handshake()
        // both wait for this one, and so come in one batch
        broker.engine.hold()
        ann.say("room", "4")
        broker.run()
        let start = isBack ? "\"since\":{\"epoch\":\"\(epoch)\",\"seq\":0}" : "\"history_count\":3"
        let callback = bob.post("\"type\":\"subscribe\",\"room\":\"room\",\(start)")
        ann.say("room", "5")
        broker.run()
        broker.engine.releaseOne()
        broker.run()
        broker.engine.failNext(.append, fault)
        broker.engine.release()
        let reply = bob.reply(to: callback)
        #expect(reply?.seq == 4)
        #expect(reply?.flag("recovered") == (isBack ? true : nil))
        let stored = isBack ? (1...4).map { "publish \($0)" } : (2...4).map { "history_message \($0)" }
        let next = ann.publish("room", "6")?.seq ?? 0
        #expect(bob.summaries() == stored + (fault == .unavailable ? [] : ["publish 5"]) + ["publish \(next)"])
    }

    @Test func `a history does not go on in another log before its reader is told of that`() {
        let broker = TestBroker(shards: 2)
        let (ann, _) = Self.publisher(broker)
        let bob = broker.connect(shard: 1 - Int(RoomKey.make("room").stableHash % 2))
        bob.handshake()
        let callback = Self.subscribe(bob, ann, .reset)
        ann.say("room", "5")
        broker.run()
        #expect(broker.engine.waiting == [.read, .open])
        broker.engine.releaseLast()
        broker.run()
        broker.engine.releaseOne()
        broker.run()
        #expect(broker.engine.waiting.first == .append)
        broker.engine.release()
        #expect(bob.reply(to: callback)?.seq == 3)
        #expect(bob.summaries() == ["gap 1-0 epoch", "publish 1"])
    }

    @Test func `where the log cannot be opened again, the history ends with an error`() {
        let broker = TestBroker()
        let (ann, _) = Self.publisher(broker)
        let bob = broker.connect()
        bob.handshake()
        let callback = Self.subscribe(bob, ann, .unavailable)
        broker.engine.failNext(.open, .unavailable)
        broker.engine.release()
        #expect(bob.reply(to: callback)?.seq == 3)
        #expect(bob.receive().map(\.code) == ["storage_unavailable"])
        #expect(bob.isClosed)
    }

    /// Bob is in the room and has not read what has left the window, and the log is lost: whoever needs it has it opened again,
    /// which waits. What he asks is on its way to the loop of the room.
    private static func behind(_ broker: TestBroker) -> (ann: TestConnection, bob: TestConnection, epoch: String) {
        let (ann, epoch) = Self.publisher(broker)
        let owner = Int(RoomKey.make("room").stableHash % 2)
        let bob = broker.connect(shard: 1 - owner).joined("room")
        bob.stopReading(after: 700)
        let padding = String(repeating: "x", count: 500)
        for number in 4...20 { ann.publish("room", "\"\(number) \(padding)\"") }
        broker.engine.hold()
        ann.say("room", "21")
        broker.run()
        #expect(broker.engine.waiting == [.append])
        broker.engine.failNext(.append, .unavailable)
        broker.engine.releaseOne()
        broker.run()
        return (ann, bob, epoch)
    }

    private static func broker() -> TestBroker {
        var limits = BrokerLimits()
        limits.windowPerRoom = 1_000
        return TestBroker(shards: 2, limits: limits)
    }

    @Test func `a subscribe that is refused does not end a member that asks where to go on`() {
        let broker = Self.broker()
        let (ann, bob, epoch) = Self.behind(broker)
        let since = "\"since\":{\"epoch\":\"\(epoch)\",\"seq\":3}"
        let callback = bob.post("\"type\":\"subscribe\",\"room\":\"room\",\(since)")
        broker.run()
        #expect(broker.engine.waiting == [.open])
        broker.engine.failNext(.open, .unavailable)
        broker.engine.releaseOne()
        // finds that it has fallen behind, and asks, while the refusal is on its way
        bob.readOn()
        #expect(broker.engine.waiting == [.open])
        broker.engine.release()
        #expect(bob.reply(to: callback)?.code == "storage_unavailable")
        #expect(bob.summaries() == (4...20).map { "publish \($0)" })
        ann.publish("room", "21")
        #expect(bob.summaries() == ["publish 21"])
    }

    @Test func `that a member cannot go on is not an answer to its next subscribe`() {
        let broker = Self.broker()
        let (ann, bob, _) = Self.behind(broker)
        bob.readOn()
        #expect(broker.engine.waiting == [.open])
        bob.unsubscribe("room")
        let callback = bob.post(#""type":"subscribe","room":"room""#)
        broker.run()
        broker.engine.failNext(.open, .unavailable)
        broker.engine.releaseOne()
        let reply = bob.reply(to: callback)
        #expect(reply != nil && reply?.code == nil)
        broker.engine.release()
        _ = bob.receive()
        ann.publish("room", "21")
        #expect(bob.summaries() == ["publish 21"])
    }

    @Test func `the answer to what was asked in the log before is none to what is asked in the new one`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 1
        let broker = TestBroker(limits: limits)
        let (ann, epoch) = Self.publisher(broker)
        let bob = broker.connect().joined("noise")
        ann.subscribe("noise")
        _ = bob.receive()
        broker.engine.hold()
        let since = "\"since\":{\"epoch\":\"\(epoch)\",\"seq\":1}"
        bob.send("{\"type\":\"subscribe\",\"room\":\"room\",\"overflow\":\"drop_oldest\",\(since)}")
        broker.run()
        bob.stopReading()
        ann.say("noise", "\"\(String(repeating: "x", count: 1_000))\"", #","ephemeral":true"#)
        let cleared = broker.clear(.make("room"))
        broker.run()
        #expect(broker.engine.waiting == [.read, .clear])
        broker.engine.releaseLast()
        broker.run()
        // two batches, between which and a third one bob asks where to go on behind message 1 of the old log
        let padding = String(repeating: "x", count: 50_000)
        for number in 1...8 { ann.say("room", "\"\(number)\(padding)\"") }
        broker.run()
        #expect(broker.engine.waiting == [.read, .open])
        broker.engine.releaseOne()
        broker.run()
        ann.say("room", "9")
        // the log is opened, and the two batches are stored
        for _ in 0..<3 {
            broker.run()
            broker.engine.releaseOne()
        }
        broker.run()
        #expect(broker.engine.appends.suffix(2) == [[1, 2, 3, 4], [5, 6, 7, 8]])
        #expect(broker.engine.waiting == [.append])
        // it learns of the new log, whose first batch has left the window, and asks again
        bob.readOn()
        broker.run()
        broker.engine.release()
        broker.run()
        #expect(cleared.value != nil)
        #expect(bob.summaries() == ["publish -", "room_cleared"] + (1...9).map { "publish \($0)" })
    }
}
