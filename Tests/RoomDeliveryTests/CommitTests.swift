import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// Rooms with history: nothing is delivered or acknowledged before its commit, and what follows a failure.
struct CommitTests {
    private static let key = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#

    @Test func `nothing is seen before its commit`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("room"), broker.connect().joined("room"))
        broker.engine.hold()
        let callback = ann.post(#""type":"publish","room":"room","message":1"#)
        ann.say("room", "2", #","ephemeral":true"#)
        broker.run()
        let late = broker.connect()
        late.handshake()
        let join = late.post(#""type":"subscribe","room":"room""#)

        #expect(ann.reply(to: callback) == nil)
        #expect(ann.summaries() + bob.summaries() == [])
        #expect(late.reply(to: join) == nil)
        broker.engine.release()
        #expect(ann.reply(to: callback)?.seq == 1)
        #expect(bob.summaries() == ["publish 1", "publish -"])
        #expect(late.reply(to: join)?.seq == 1)
    }

    @Test func `what gathers during a commit is the next batch`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        broker.engine.hold()
        for number in 1...6 {
            ann.say("room", "\(number)")
            broker.run()
        }
        #expect(broker.engine.waiting == [.append])
        broker.engine.releaseOne()
        broker.run()
        #expect(broker.engine.waiting == [.append])
        broker.engine.release()
        #expect(ann.receive().map(\.seq) == Array(1...6))
        #expect(broker.engine.appends == [[1], [2, 3, 4, 5, 6]])
    }

    @Test func `where no more rooms can be stored, that is said, and nothing is delivered`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        broker.engine.failNext(.append, .tooManyRooms)
        #expect(ann.publish("room", "1")?.code == "too_many_stored_rooms")
        #expect(ann.summaries() == [])
        #expect(ann.publish("room", "2")?.seq == 1)
    }

    @Test func `where the disk is read-only, that is said, and nothing is delivered`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        broker.engine.failNext(.append, .readOnly)
        let refusal = ann.publish("room", "1")
        #expect(refusal?.code == "storage_unavailable" && refusal?.text("error")?.contains("read-only") == true)
        #expect(ann.summaries() == [])
        #expect(ann.publish("room", "2")?.seq == 1)
    }

    @Test func `a log is closed when its room is let go of`() {
        var limits = BrokerLimits()
        limits.dormantRooms = 2
        let broker = TestBroker(limits: limits)
        let ann = broker.connect()
        ann.handshake()
        for number in 0..<4 { ann.publish("room-\(number)", "1") }
        #expect(broker.engine.closed == [.make("room-0"), .make("room-1")])
        broker.advance(by: .minutes(12))
        #expect(Set(broker.engine.closed) == Set((0..<4).map { RoomKey.make("room-\($0)") }))
    }

    @Test func `a failed commit is told, and ephemeral messages behind it still come`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("room"), broker.connect().joined("room"))
        broker.engine.hold()
        broker.engine.failNext(.append, .unavailable)
        ann.sendBytes(
            [#""message":1,"callback":9"#, "\"message\":2\(Self.key)", #""message":3,"ephemeral":true"#]
                .map { "{\"type\":\"publish\",\"room\":\"room\",\($0)}\n" }.joined()
        )
        broker.run()
        broker.engine.release()

        #expect(ann.reply(to: 9)?.code == "storage_unavailable")
        let told = ann.receive()
        #expect(told.first?.code == "storage_unavailable")
        #expect(told.first?.text("message_id") == "0e2a1c5e-0000-4000-8000-000000000001")
        #expect(told.first?.room == "room")
        #expect(bob.summaries() == ["publish -"])
        #expect(ann.publish("room", "4")?.seq == 1)
    }

    @Test(arguments: [MemoryEngine.Fault.unavailable, .unavailableButDone])
    func `a publish of unknown outcome that is sent again is there once`(fault: MemoryEngine.Fault) {
        let broker = TestBroker(shards: 2)
        let (ann, bob) = (broker.connect().joined("room"), broker.connect(shard: 1).joined("room"))
        ann.publish("room", "0")
        broker.engine.failNext(.append, fault)
        #expect(ann.publish("room", "1", Self.key)?.code == "storage_unavailable")

        let again = ann.publish("room", "1", Self.key)
        #expect(again?.seq == 2)
        #expect((again?.flag("duplicate") ?? false) == (fault == .unavailableButDone))
        #expect(bob.summaries() == ["publish 1", "publish 2"])
        #expect(broker.engine.entries(of: .make("room")).count == 2)
    }

    @Test func `a log that begins anew is told with its epoch, and the members with it`() {
        let broker = TestBroker(shards: 2)
        let bob = broker.connect(shard: 1).joined("observable-room")
        let ann = broker.connect().joined("observable-room")
        ann.publish("observable-room", "1")
        _ = (ann.receive(), bob.receive())
        broker.engine.failNext(.append, .reset)
        #expect(ann.publish("observable-room", "2")?.code == "storage_unavailable")
        #expect(ann.publish("observable-room", "3")?.seq == 1)

        #expect(bob.summaries() == ["gap 1-0 epoch", "observable_members", "publish 1"])
        #expect(bob.publish("observable-room", "4")?.seq == 2)
    }

    @Test func `a repeat gets the first one's answer, and another body a conflict`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("room"), broker.connect().joined("room"))
        let first = ann.publish("room", "1", Self.key)
        let repeated = bob.publish("room", "1", Self.key)
        #expect(repeated?.text("id") == first?.text("id"))
        #expect(repeated?.seq == 1)
        #expect(repeated?.flag("duplicate") == true)
        #expect(repeated?.object("sender")?.text("id") == first?.object("sender")?.text("id"))
        #expect(ann.publish("room", "2", Self.key)?.code == "message_id_conflict")
        #expect(bob.summaries() == ["publish 1"])
    }

    @Test func `a repeat while the first is being stored waits for it`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        broker.engine.hold()
        let first = ann.post("\"type\":\"publish\",\"room\":\"room\",\"message\":1\(Self.key)")
        broker.run()
        let second = ann.post("\"type\":\"publish\",\"room\":\"room\",\"message\":1\(Self.key)")
        broker.run()
        #expect(ann.reply(to: second) == nil)
        broker.engine.release()
        #expect(ann.reply(to: first)?.seq == 1)
        #expect(ann.reply(to: second)?.flag("duplicate") == true)
    }

    @Test func `a repeat is known over a restart`() {
        let engine = MemoryEngine(clock: ManualClock())
        let first = TestBroker(engine: engine).connect().joined("room").publish("room", #"{"a":1}"#, Self.key)
        let again = TestBroker(engine: engine, seed: 2).connect().joined("room").publish("room", #"{"a":1}"#, Self.key)
        #expect(again?.text("id") == first?.text("id"))
        #expect(again?.object("sender")?.text("id") == first?.object("sender")?.text("id"))
        #expect(again?.flag("duplicate") == true)
    }

    @Test func `a key is forgotten after ten minutes, and its repeat is still answered in the same batch`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: "plain")
        ann.publish("room", "1", Self.key)
        broker.advance(by: .minutes(11))
        ann.say("room", "2", #","message_id":"0e2a1c5e-0000-4000-8000-000000000002""#)
        #expect(ann.publish("room", "1", Self.key) != nil)
        #expect(ann.publish("room", "1", Self.key)?.seq == 3)
    }

    @Test(arguments: [1, -1]) func `a key lives for ten minutes whoever sets the clock`(step: Int64) {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: "plain")
        ann.publish("room", "1", Self.key)
        broker.advance(by: .minutes(1))
        broker.clock.advance(milliseconds: step * 3_600_000)
        #expect(ann.publish("room", "1", Self.key)?.flag("duplicate") == true)
        broker.advance(by: .minutes(8))
        #expect(ann.publish("room", "1", Self.key)?.flag("duplicate") == true)
        broker.advance(by: .minutes(3))
        // a turn forgets at its end
        ann.publish("room", "2")
        #expect(ann.publish("room", "1", Self.key)?.flag("duplicate") != true)
    }

    @Test(arguments: [1, -1])
    func `a message that is stored though the store has failed is known whoever sets the clock`(step: Int64) {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        ann.publish("room", "0")
        // before the log is opened again, and before the message
        for isBefore in [false, true] {
            let key = Self.key.replacing("000001\"", with: isBefore ? "000003\"" : "000002\"")
            if isBefore { broker.clock.advance(milliseconds: -step * 3_600_000) }
            broker.engine.failNext(.append, .unavailableButDone)
            #expect(ann.publish("room", "1", key)?.code == "storage_unavailable")
            broker.clock.advance(milliseconds: step * 3_600_000)
            #expect(ann.publish("room", "1", key)?.flag("duplicate") == true)
            broker.advance(by: .minutes(9))
            #expect(ann.publish("room", "1", key)?.flag("duplicate") == true)
            broker.advance(by: .minutes(2))
            // a turn forgets at its end
            ann.publish("room", "2")
            #expect(ann.publish("room", "1", key)?.flag("duplicate") != true)
        }
    }

    @Test func `what waits for a commit is bounded`() {
        var limits = BrokerLimits()
        limits.backlogPerRoom = 1_000
        let broker = TestBroker(limits: limits)
        let ann = broker.connect().joined("room")
        broker.engine.hold()
        ann.say("room", "1")
        broker.run()
        let text = "\"\(String(repeating: "x", count: 400))\""
        let callbacks = (0..<4).map { _ in ann.post("\"type\":\"publish\",\"room\":\"room\",\"message\":\(text)") }
        let refused = callbacks.compactMap { ann.reply(to: $0) }
        #expect(refused.map(\.code) == ["storage_unavailable", "storage_unavailable"])
        #expect(refused.first?.number("retry_after_ms") == 250)
        broker.engine.release()
        #expect(callbacks.compactMap { ann.reply(to: $0)?.seq } == [2, 3])
    }

    @Test func `a query that the store cannot answer is refused, and the next one is answered`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        broker.engine.failNext(.open, .unavailable)
        #expect(ann.history("room")?.code == "storage_unavailable")
        #expect(ann.history("room")?.list("messages")?.count == 0)
        broker.engine.failNext(.read, .unavailable)
        #expect(ann.history("room")?.code == "storage_unavailable")
        #expect(ann.history("room")?.flag("more") == false)
    }

    @Test func `a log that a read finds gone is opened again, whoever owns the room`() {
        let broker = TestBroker(shards: 2)
        let room = broker.room(ownedBy: 1)
        let ann = broker.connect().joined(room)
        ann.publish(room, "1")
        broker.engine.loseAll()
        #expect(ann.history(room)?.code == "storage_unavailable")
        #expect(ann.history(room)?.list("messages")?.count == 0)
        #expect(ann.publish(room, "2")?.seq == 1)
    }
}
