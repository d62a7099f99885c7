import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Messages that are redacted while their room is full of people.
struct RedactionTests {
    private static func publish(_ count: Int, by client: TestConnection, room: String = "room") -> [String] {
        (1...count).compactMap { client.publish(room, "\"secret \($0)\"")?.text("id") }
    }

    private static func key(_ channel: String) -> RoomKey { .make("room", channel: channel) }

    @Test(arguments: ["test", "plain"], [1, 2])
    func `members are told, and the log has a tombstone and the redaction`(channel: String, shards: Int) {
        let broker = TestBroker(shards: shards)
        let ann = broker.connect().joined("room", channel: channel)
        let bob = broker.connect(shard: shards - 1).joined("room", channel: channel)
        let ids = Self.publish(3, by: ann)
        _ = (ann.receive(), bob.receive())
        let answer = broker.redact(.seq(2), in: Self.key(channel), reason: "rude")
        let told = (ann.receive(), bob.receive())
        #expect(answer.value?.seq == 4)
        #expect(answer.value?.targetSeq == 2)
        #expect(answer.value?.targetID.description == ids[1])
        for frames in [told.0, told.1] {
            #expect(frames.map(\.summary) == ["message_redacted"])
            #expect(frames.first?.seq == 4)
            #expect(frames.first?.number("target_seq") == 2)
            #expect(frames.first?.text("target_id") == ids[1])
            #expect(frames.first?.text("reason") == "rude")
            #expect(frames.first?.object("sender")?.text("id") == "mod")
            #expect(frames.first?.isStamped == true)
        }
        #expect(ann.publish("room", "5")?.seq == 5)
    }

    @Test(arguments: ["test", "plain"])
    func `a message is redacted once, and named by id or seq`(channel: String) throws {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: channel)
        let ids = Self.publish(3, by: ann)
        let id = try #require(UniqueID(ids[2].utf8))
        let answers = [.id(id), .seq(3), .id(id)].map { broker.redact($0, in: Self.key(channel)) }
        broker.run()
        #expect(answers.map { $0.value?.seq } == [4, nil, nil])
        #expect(answers.map { $0.value?.targetSeq } == [3, 3, 3])
        #expect(answers.map(\.count) == [1, 1, 1])
        #expect(ann.summaries() == ["publish 1", "publish 2", "publish 3", "message_redacted"])
    }

    @Test(arguments: ["test", "plain"])
    func `what is not there, or is not a message, cannot be redacted`(channel: String) throws {
        let broker = TestBroker()
        let ann = broker.connect().joined("room", channel: channel)
        _ = Self.publish(1, by: ann)
        let typing = ann.publish("room", "1", #","ephemeral":true"#)
        _ = broker.redact(.seq(1), in: Self.key(channel))
        let redaction = ann.receive().last
        #expect(redaction?.seq == 2)
        let references: [MessageReference] = [
            .seq(0), .seq(2), .seq(3), .seq(.max), .id(.make(1)),
            .id(try #require(UniqueID((typing?.text("id") ?? "").utf8))),
            .id(try #require(UniqueID((redaction?.text("id") ?? "").utf8))),
        ]
        let answers = references.map { broker.redact($0, in: Self.key(channel)) }
        broker.run()
        #expect(answers.map(\.code) == references.map { _ in .messageNotFound })
        let elsewhere = broker.redact(.seq(1), in: .make("room", channel: "nowhere"))
        #expect(elsewhere.code == .unknownChannel)
        #expect(ann.summaries() == [])
    }

    /// The whole text, or what is left of it, in every way that somebody can ask for it.
    @Test(arguments: ["oldest_first", "newest_first"])
    func `whoever comes later gets the tombstone`(order: String) {
        let settings = ChannelSettings.make("test").with {
            $0.historyOrder = order == "newest_first" ? .newestFirst : .oldestFirst
        }
        let broker = TestBroker(channels: [settings])
        let ann = broker.connect()
        ann.handshake()
        let epoch = ann.subscribe("room")?.text("epoch") ?? ""
        _ = Self.publish(3, by: ann)
        _ = broker.redact(.seq(2))
        _ = Self.publish(1, by: ann)
        _ = broker.redact(.seq(3))
        _ = ann.receive()
        let bob = broker.connect()
        bob.handshake()
        bob.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":1}"#)
        let recovered = bob.receive()
        #expect(
            recovered.map(\.summary) == ["publish 2", "publish 3", "message_redacted", "publish 5", "message_redacted"]
        )
        #expect(recovered.map(\.seq) == [2, 3, 4, 5, 6])
        #expect(recovered.prefix(2).allSatisfy { $0.flag("redacted") == true && $0.line.contains(#""message":null"#) })
        let cat = broker.connect()
        cat.handshake()
        cat.subscribe("room", ",\"history_count\":3")
        let replayed = cat.receive()
        #expect(replayed.map(\.summary) == ["history_message 2", "history_message 3", "history_message 5"])
        #expect(replayed.map { $0.number("index") } == (order == "newest_first" ? [2, 1, 0] : [0, 1, 2]))
        #expect(replayed.map { $0.flag("redacted") } == [true, true, nil])
        let asked = ann.history("room")?.list("messages") ?? []
        #expect(asked.map(\.seq) == [1, 2, 3, 4, 5, 6])
        #expect(asked.map { $0.flag("redacted") } == [nil, true, true, nil, nil, nil])
        #expect(asked[3].summary == "message_redacted")
    }

    @Test(arguments: ["test", "plain"], [0, 300, 700])
    func `who lags gets the tombstone and then the redaction, wherever it stands`(channel: String, bytes: Int) {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room", channel: channel)
        let slow = broker.connect(shard: 1).joined("room", channel: channel)
        slow.stopReading(after: bytes)
        for number in 1...6 {
            ann.say("room", "\"secret \(number)\"")
            if number % 2 == 0 { broker.run() }
        }
        let got = slow.receive()
        for seq in [UInt64(6), 1, 5] { _ = broker.redact(.seq(seq), in: Self.key(channel)) }
        _ = Self.publish(1, by: ann)
        slow.readOn()
        let frames = got + slow.receive()
        #expect(frames.map(\.seq) == Array(1...10))
        #expect(frames.filter { $0.type == "message_redacted" }.map { $0.number("target_seq") } == [6, 1, 5])
        // the frame that was cut goes out as it was
        for seq in [1, 5, 6] { #expect(frames[seq - 1].line.contains("secret") == (seq <= got.count + 1)) }
        #expect(got.count < 5)
        #expect(slow.strayLines.isEmpty)
    }

    @Test func `a page that was asked for before it was redacted is not shown`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        let epoch = ann.subscribe("room")?.text("epoch") ?? ""
        _ = Self.publish(3, by: ann)
        ann.unsubscribe("room")
        let bob = broker.connect()
        bob.handshake()
        broker.engine.hold()
        bob.send(
            #"{"type":"subscribe","room":"room","since":{"epoch":"\#(epoch)","seq":0},"callback":9}"#
        )
        broker.run()
        #expect(broker.engine.waiting == [.read])
        let answer = broker.redact(.seq(2))
        broker.run()
        // the page is read before the append, and comes behind what tells of it
        #expect(broker.engine.waiting == [.read, .read])
        broker.engine.releaseLast()
        broker.run()
        broker.engine.releaseLast()
        broker.run()
        #expect(answer.value?.seq == 4)
        broker.engine.release()
        let frames = bob.receive().filter { $0.callback == nil }
        #expect(frames.map(\.seq) == [1, 2, 3, 4])
        #expect(frames[1].flag("redacted") == true)
        #expect(broker.engine.calls.count { $0 == .read } == 3)
    }

    @Test(arguments: [0, 1])
    func `a history query that is under way does not bring the text back`(shard: Int) {
        let broker = TestBroker(shards: 2)
        _ = Self.publish(3, by: broker.connect().joined("room"))
        let bob = broker.connect(shard: shard).joined("room")
        broker.engine.holdAnswers()
        let callback = bob.post(#""type":"history","room":"room""#)
        broker.run()
        let answer = broker.redact(.seq(2))
        for _ in 0..<2 {
            broker.run()
            broker.engine.releaseLast()
        }
        broker.run()
        #expect(answer.value?.seq == 4)
        #expect(broker.engine.waiting == [.read])
        broker.engine.release()
        let messages = bob.reply(to: callback)?.list("messages") ?? []
        #expect(messages.map(\.seq) == [1, 2, 3, 4])
        #expect(messages.map { $0.flag("redacted") } == [nil, true, nil, nil])
        #expect(bob.summaries() == ["message_redacted"])
    }

    @Test func `a history query that a redaction of another message overtakes is not read again`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        _ = Self.publish(3, by: ann)
        broker.engine.holdAnswers()
        let callback = ann.post(#""type":"history","room":"room","limit":1"#)
        broker.run()
        _ = broker.redact(.seq(2))
        for _ in 0..<2 {
            broker.run()
            broker.engine.releaseLast()
        }
        broker.run()
        broker.engine.release()
        #expect(ann.reply(to: callback)?.list("messages")?.map(\.seq) == [3])
        #expect(broker.engine.calls.count { $0 == .read } == 2)
    }

    @Test func `plain text loses the line`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("lobby")
        let luke = broker.connect()
        luke.sendBytes("iam:Luke\n")
        _ = luke.receiveLines()
        luke.stopReading(after: 0)
        _ = Self.publish(3, by: ann, room: "lobby")
        _ = broker.redact(.seq(2), in: .make("lobby"))
        broker.run()
        luke.readOn()
        #expect(luke.receiveLines() == ["?: secret 1", "?: secret 3"])
    }

    @Test func `the publish key of a redacted message goes on to work`() {
        let broker = TestBroker()
        let key = #","message_id":"0e2a1c5e-0000-4000-8000-000000000001""#
        let ann = broker.connect().joined("room")
        let first = ann.publish("room", "\"secret\"", key)
        _ = broker.redact(.seq(1))
        for isReopened in [false, true] {
            if isReopened {
                broker.engine.failNext(.append, .unavailable)
                #expect(ann.publish("room", "2")?.code == "storage_unavailable")
            }
            let again = ann.publish("room", "\"secret\"", key)
            #expect(again?.flag("duplicate") == true)
            #expect(again?.seq == 1)
            #expect(again?.text("id") == first?.text("id"))
            #expect(ann.publish("room", "\"other\"", key)?.code == "message_id_conflict")
        }
    }

    @Test(arguments: [MemoryEngine.Fault.unavailable, .unavailableButDone])
    func `a redaction of unknown outcome can be repeated`(fault: MemoryEngine.Fault) {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        _ = Self.publish(2, by: ann)
        broker.engine.failNext(.append, fault)
        let answers = [broker.redact(.seq(1)), broker.redact(.seq(1))]
        broker.run()
        #expect(answers.map(\.code) == [.storageUnavailable, nil])
        if case .unavailable = fault { #expect(answers[1].value?.seq == 3) }
        if case .unavailableButDone = fault { #expect(answers[1].value?.seq == .some(nil)) }
        #expect(ann.publish("room", "4")?.seq == 4)
        #expect(ann.receive().map(\.seq) == [1, 2, 3, 4])
        #expect(broker.engine.entries(of: .make()).map(\.kind) == [.tombstone, .message, .redaction, .message])
    }

    @Test(arguments: [MemoryEngine.Call.find, .read, .open])
    func `a store that cannot be read redacts nothing`(call: MemoryEngine.Call) {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        if call != .open { ann.publish("room", "1") }
        broker.engine.failNext(call, .unavailable)
        let answer = broker.redact(.id(broker.engine.entries(of: .make()).first?.id ?? .make(1)))
        broker.run()
        #expect(answer.code == .storageUnavailable)
    }

    @Test func `a channel that is deleted answers who waits`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        _ = Self.publish(2, by: ann)
        broker.engine.hold()
        let answers = [broker.redact(.seq(1)), broker.redact(.seq(2))]
        broker.run()
        broker.removeChannel("test")
        broker.engine.release()
        broker.run()
        #expect(answers.map(\.code) == [.unknownChannel, .unknownChannel])
    }

    @Test func `the window without history is all there is`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 1_500
        let broker = TestBroker(limits: limits)
        let ann = broker.connect().joined("room", channel: "plain")
        _ = Self.publish(40, by: ann)
        let answers = [UInt64(1), 40].map { broker.redact(.seq($0), in: Self.key("plain")) }
        broker.run()
        #expect(answers.map(\.code) == [.messageNotFound, nil])
        ann.drop()
        let gone = broker.redact(.seq(39), in: Self.key("plain"))
        broker.run()
        #expect(gone.code == .messageNotFound)
    }
}
