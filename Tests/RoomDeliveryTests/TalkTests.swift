import NIOCore
import RoomTestKit
import Testing

/// Members of one room talk: what everybody gets, and in which order.
struct TalkTests {
    @Test(arguments: ["test", "plain"], [1, 3])
    func `every member gets every message once, in one order`(channel: String, shards: Int) {
        let broker = TestBroker(shards: shards)
        let members = (0..<6).map { broker.connect(shard: $0 % shards).joined("room", channel: channel) }

        for number in 1...10 {
            members[number % 6].say("room", "\"\(number)\"")
        }

        for member in members {
            let frames = member.receive()
            #expect(frames.map(\.seq) == Array(1...10))
            #expect(frames.allSatisfy { $0.isStamped })
            #expect(Set(frames.compactMap { $0.message }).count == 10)
        }
    }

    @Test func `an acknowledgement carries the stamp of the message`() {
        let ann = TestBroker().connect().joined("room")
        let reply = ann.publish("room", #"{"a":1}"#)
        let message = ann.receive().first
        #expect(reply?.text("id") == message?.text("id"))
        #expect(reply?.seq == 1)
        #expect(reply?.object("sender")?.text("id") == message?.text("client_id"))
    }

    @Test(
        arguments: [
            "1.0", "12345678901234567890", "1e400", #"{"b":1,"a":2,"b":3}"#, "[1 , 2]", #""\u00e9\/\ud83d""#,
            "\"\u{2028}\"",
        ])
    func `a message passes byte by byte, live and from the history`(message: String) {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("room"), broker.connect())
        ann.isDumped = false
        bob.isDumped = false
        ann.send(#"{"type":"publish","room":"room","message":\#(message)}"#)
        let history = bob.handshake().flatMap { _ in bob.history("room") }
        broker.run()

        #expect(String(buffer: ann.socket.received).contains(#""message":\#(message)}"#))
        #expect(history?.line.contains(#""message":\#(message)}"#) ?? true)
    }

    @Test func `without echo a message comes to all others but its own connection`() {
        let broker = TestBroker(shards: 2)
        let (ann, bob) = (broker.connect().joined("room"), broker.connect(shard: 1).joined("room"))

        let first = ann.post(#""type":"publish","room":"room","message":1"#)
        let second = ann.post(#""type":"publish","room":"room","message":2,"echo":false"#)
        let third = ann.post(#""type":"publish","room":"room","message":3"#)

        #expect([first, second, third].map { ann.reply(to: $0)?.seq ?? 0 } == [1, 2, 3])
        #expect(ann.summaries() == ["publish 1", "publish 3"])
        #expect(bob.summaries() == ["publish 1", "publish 2", "publish 3"])
    }

    @Test func `an ephemeral message has no number and is not in the history`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("room"), broker.connect().joined("room"))
        ann.publish("room", "1")
        let reply = ann.publish("room", "2", #","ephemeral":true"#)
        ann.publish("room", "3")

        #expect(reply?.keys.contains("seq") == false)
        #expect(bob.summaries() == ["publish 1", "publish -", "publish 2"])
        #expect(bob.history("room")?.list("messages")?.map(\.seq) == [1, 2])
    }

    @Test func `publishing needs no subscription`() {
        let broker = TestBroker(shards: 2)
        let (ann, bob) = (broker.connect(), broker.connect(shard: 1).joined("room"))
        ann.handshake()
        #expect(ann.publish("room", "1")?.seq == 1)
        #expect(ann.summaries() == [])
        #expect(bob.summaries() == ["publish 1"])
    }

    @Test func `after an unsubscribe nothing comes any more`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined("room"), broker.connect().joined("room"))
        let callback = ann.post(#""type":"unsubscribe","room":"room""#)
        bob.say("room", "1")
        #expect(ann.reply(to: callback)?.keys.contains("error") == false)
        #expect(ann.summaries() == [])
        #expect(bob.summaries() == ["publish 1"])
    }

    @Test func `what was published before the end of input is delivered to its own sender too`() {
        let ann = TestBroker().connect()
        ann.send(#"{"type":"handshake","channel":"plain","callback":0}"#)
        ann.send(#"{"type":"subscribe","room":"room","callback":1}"#)
        ann.send(#"{"type":"publish","room":"room","message":1}"#)
        ann.halfClose()
        #expect(ann.summaries() == ["reply 0", "reply 1", "publish 1"])
        #expect(ann.isGone)
    }

    @Test func `what waits for a commit reaches its sender although that leaves right behind it`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        broker.engine.hold()
        ann.say("room", "1")
        broker.run()
        ann.say("room", "2")
        ann.halfClose()
        #expect(!ann.isClosed)
        broker.engine.release()
        #expect(ann.summaries() == ["publish 1", "publish 2"])
        #expect(ann.isGone)
    }

    @Test func `history that was asked for comes before the end of a client that sends no more`() {
        let broker = TestBroker()
        broker.connect().joined("room").publish("room", "1")
        let ann = broker.connect()
        broker.engine.hold()
        ann.send(#"{"type":"handshake","channel":"test","callback":0}"#)
        ann.send(#"{"type":"subscribe","room":"room","history_count":5,"callback":1}"#)
        ann.halfClose()
        broker.engine.release()
        #expect(ann.summaries() == ["reply 0", "reply 1", "history_message 1"])
        #expect(ann.isGone)
    }

    @Test func `ids increase within a room although the clock steps back`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room")
        var ids: [String] = []
        for step: Int64 in [0, 5, -1_000, 1, -60_000, 3] {
            broker.clock.advance(milliseconds: step)
            for _ in 0..<3 {
                ann.say("room", "1")
                ids += ann.receive().compactMap { $0.text("id") }
            }
        }
        #expect(ids.count == 18)
        #expect(ids == ids.sorted() && Set(ids).count == 18)
    }
}
