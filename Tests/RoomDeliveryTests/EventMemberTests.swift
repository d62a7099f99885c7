import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomDelivery

/// Members by event stream among others: they get the same, as events, and post what they send.
struct EventMemberTests {
    private static func stream(
        of room: String,
        history: Int = 0,
        since: Position? = nil,
        channel: String = "test"
    ) -> EventStreamRoom {
        EventStreamRoom(
            handshake: HandshakeRequest(channel: channel),
            room: RoomName(room),
            subscribe: SubscribeRequest(rooms: .one(RoomName(room)), historyCount: history, since: since)
        )
    }

    @Test func `members of all wire formats get the same messages in the same order`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connectEvents(shard: 1).joined("lobby")
        let bob = broker.connect().joined("lobby")
        let cid = broker.connectWebSocket(direct: false).joined("lobby")
        let dan = broker.connectEvents(direct: false).joined("lobby")
        let eve = broker.connectEvents(room: Self.stream(of: "lobby"))
        _ = (ann.receive(), bob.receive(), cid.receive(), dan.receive(), eve.receive())
        for number in 0..<5 {
            for member in [ann, bob, cid, dan] { member.say("lobby", "\"\(number)\"") }
            broker.run()
        }
        let lines = bob.receive().map(\.line)
        #expect(lines.count == 20)
        for member in [ann, cid, dan, eve] { #expect(member.receive().map(\.line) == lines) }
        #expect(ann.events?.start == TestEventStream.head)
        #expect(eve.events?.lastEventID?.hasSuffix(":20") == true)
    }

    @Test func `a post is answered when its frames are taken, and those behind it wait`() {
        let broker = TestBroker(shards: 2)
        let first = broker.connect(shard: 1)
        let token = first.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let ann = broker.connectEvents()
        // the other shard has to be asked first
        ann.send(#"{"type":"handshake","channel":"test","resume":"\#(token)","callback":0}"#)
        ann.events?.post(#"{"type":"subscribe","room":"room","callback":1}"# + "\n\n" + #"{"type":"ping"}"#, .lines)
        ann.send(#"{"type":"ping","callback":2}"#)
        #expect(ann.receive().map(\.summary) == ["reply 0", "pong", "reply 2", "reply 1"])
        #expect(ann.events?.outcomes.count == 3)
    }

    @Test func `a post to a session that has ended says so, and so does one that waits`() {
        let broker = TestBroker()
        let ann = broker.connectEvents().joined("lobby")
        ann.stopReading()
        let before = ann.events?.outcomes.count ?? 0
        for _ in 0..<3 { ann.events?.post(String(repeating: "{\"type\":\"ping\"}\n", count: 10_000), .lines) }
        broker.run()
        #expect((ann.events?.outcomes.count ?? 0) < before + 3)
        ann.drop()
        ann.events?.post(#"{"type":"ping"}"#)
        broker.run()
        #expect(ann.events?.outcomes.count == before + 4 && ann.events?.outcomes.last == .sessionEnded)
    }

    @Test func `frames behind a resume that fails at once are taken once`() {
        let broker = TestBroker()
        let bob = broker.connect().joined("lobby")
        let ann = broker.connectEvents()
        let frames = [
            #"{"type":"handshake","channel":"test","resume":"x","callback":0}"#,
            #"{"type":"publish","room":"lobby","message":1}"#, #"{"type":"subscribe","room":"lobby","callback":1}"#,
            #"{"type":"subscribe","room":"lobby","callback":2}"#,
        ]
        ann.events?.post(frames.joined(separator: "\n"), .lines)
        broker.run()
        #expect(bob.summaries() == ["publish 1"])
        #expect(ann.receive().compactMap(\.callback) == [0, 1, 2])
        #expect(ann.events?.outcomes.last == .taken)
    }

    @Test func `the posts that wait have few bytes together`() {
        let broker = TestBroker()
        let ann = broker.connectEvents().joined("lobby")
        ann.stopReading()
        let before = ann.events?.outcomes.count ?? 0
        for _ in 0..<12 { ann.events?.post(String(repeating: "{\"type\":\"ping\"}\n", count: 7_000), .lines) }
        for _ in 0..<100 { broker.lookAtSockets() }
        let refused = ann.events?.outcomes.dropFirst(before).count { $0 == .tooMany } ?? 0
        #expect(refused >= 8)
        #expect(broker.shards[0].onLoop.connections.input.total <= 256 * 1_024)
        ann.drop()
        #expect(broker.shards[0].onLoop.connections.input.total == 0)
    }

    @Test func `no more than sixteen posts wait`() {
        let broker = TestBroker()
        let ann = broker.connectEvents().joined("lobby")
        ann.stopReading()
        let before = ann.events?.outcomes.count ?? 0
        for _ in 0..<40 { ann.events?.post(String(repeating: "{\"type\":\"ping\"}\n", count: 10_000), .lines) }
        for _ in 0..<100 { broker.lookAtSockets() }
        #expect(ann.events?.outcomes.dropFirst(before).contains(.tooMany) == true)
        ann.readOn()
        for _ in 0..<2_000 { broker.lookAtSockets() }
        #expect(ann.events?.outcomes.count == before + 40)
    }

    @Test func `a stream for a room that it may not have is refused in HTTP`() {
        let broker = TestBroker()
        let ann = broker.connectEvents(room: Self.stream(of: "lobby", channel: "nowhere"))
        _ = ann.receive()
        #expect(ann.events?.start?.hasPrefix("HTTP/1.1 400 ") == true)
        #expect(ann.isClosed)
    }

    @Test func `a client comes back where it was, and to what it was told is missing`() throws {
        let broker = TestBroker(shards: 2)
        let bob = broker.connect().joined("lobby")
        let ann = broker.connectEvents(room: Self.stream(of: "lobby"))
        _ = ann.receive()
        let first = try #require(ann.events?.lastEventID)
        #expect(first.hasSuffix(":0"))
        for number in 1...3 { bob.say("lobby", "\(number)") }
        #expect(ann.receive().count == 3)
        let place = try #require(ann.events?.lastEventID)
        ann.drop()
        for number in 4...5 { bob.say("lobby", "\(number)") }
        broker.run()
        let again = broker.connectEvents(shard: 1, room: Self.stream(of: "lobby", since: Position(eventID: place)))
        #expect(again.receive().map(\.summary) == ["reply 0", "publish 4", "publish 5"])
        let other = Position(epoch: nil, seq: 7)
        let lost = broker.connectEvents(room: Self.stream(of: "lobby", since: other))
        #expect(lost.receive().map(\.type) == [nil, "gap"])
        #expect(lost.events?.lastEventID == again.events?.lastEventID)
    }

    @Test func `silence is filled with comments, and a goodbye says when to come back`() {
        let broker = TestBroker()
        let ann = broker.connectEvents().joined("lobby")
        _ = ann.receive()
        broker.advance(by: .seconds(100))
        #expect(ann.receive().isEmpty && !ann.isClosed)
        #expect(ann.events?.others.suffix(3) == [": ping", ": ping", ": ping"])
    }

    @Test func `nothing can follow the request`() {
        let broker = TestBroker()
        let ann = broker.connectEvents().joined("lobby")
        _ = ann.receive()
        ann.sendBytes("GET / HTTP/1.1\r\n\r\n")
        #expect(ann.receive().map(\.code) == ["wrong_protocol"])
        #expect(ann.isClosed)
    }
}
