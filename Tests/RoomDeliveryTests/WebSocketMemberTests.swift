import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

/// WebSocket members among others: they get the same, as frames.
struct WebSocketMemberTests {
    @Test func `members of all wire formats get the same messages in the same order`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connectWebSocket(shard: 1).joined("lobby")
        let bob = broker.connect().joined("lobby")
        let text = broker.connect()
        text.sendBytes("iam:luke\n")
        _ = text.receiveLines()
        let cid = broker.connectWebSocket(direct: false).joined("lobby")
        _ = (ann.receive(), bob.receive())
        for number in 0..<5 {
            ann.say("lobby", "\"a\(number)\"")
            bob.say("lobby", "\"b\(number)\"")
            cid.say("lobby", "{\"n\": \(number)}")
            text.sendBytes("msg:t\(number)\n")
            broker.run()
        }
        let lines = bob.receive().map(\.line)
        #expect(lines.count == 20)
        #expect(ann.receive().map(\.line) == lines)
        #expect(cid.receive().map(\.line) == lines)
        #expect(text.receiveLines().count == 20)
        #expect(ann.webSocket?.takeEvents() == [])
    }

    @Test(arguments: ["test", "plain"])
    func `a member gets what it missed while there were members of other formats only`(channel: String) {
        let broker = TestBroker(shards: 2)
        let bob = broker.connect().joined("room", channel: channel)
        let epoch = bob.subscribe("room")?.text("epoch") ?? bob.history("room")?.text("epoch") ?? ""
        for number in 1...5 { bob.publish("room", "\(number)") }
        let probe = broker.connect()
        probe.handshake(channel: channel)
        let known = probe.subscribe("room")?.text("epoch") ?? epoch
        let ann = broker.connectWebSocket(shard: 1)
        ann.handshake(channel: channel)
        let reply = ann.subscribe("room", ",\"since\":{\"epoch\":\"\(known)\",\"seq\":2}")
        #expect(reply?.flag("recovered") == true)
        bob.publish("room", "6")
        #expect(ann.receive().map(\.seq) == [3, 4, 5, 6])
        // on the shard where the others are
        let cid = broker.connectWebSocket()
        cid.handshake(channel: channel)
        #expect(cid.subscribe("room", ",\"since\":{\"epoch\":\"\(known)\",\"seq\":0}")?.flag("recovered") == true)
        #expect(cid.receive().map(\.seq) == [1, 2, 3, 4, 5, 6])
        #expect(bob.receive().map(\.seq) == [1, 2, 3, 4, 5, 6])
    }

    @Test func `history comes as frames, too`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connectWebSocket(shard: 1).joined("room")
        let bob = broker.connect().joined("room")
        for number in 1...3 { bob.publish("room", "\"m\(number)\"") }
        #expect(ann.receive().map(\.seq) == [1, 2, 3])
        #expect(ann.history("room")?.list("messages")?.count == 3)
        ann.unsubscribe("room")
        ann.subscribe("room", ",\"history_count\":2")
        #expect(ann.receive().map(\.message) == ["m2", "m3"])
    }

    @Test func `what a member published without echo does not come back to it`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket().joined("room")
        let bob = broker.connect().joined("room")
        _ = ann.receive()
        for number in 1...6 { ann.publish("room", "\"\(number)\"", number % 2 == 0 ? "" : ",\"echo\":false") }
        #expect(bob.receive().map(\.message) == ["1", "2", "3", "4", "5", "6"])
        #expect(ann.receive().map(\.message) == ["2", "4", "6"])
    }

    @Test func `only the members of a room come before its subscribe is answered, and nothing after its unsubscribe`() {
        let broker = TestBroker(shards: 2)
        let bob = broker.connect(shard: 1).joined("observable-room")
        let ann = broker.connectWebSocket()
        ann.handshake()
        let callback = ann.post("\"type\":\"subscribe\",\"room\":\"observable-room\"")
        bob.say("observable-room", "1")
        var frames = ann.receive()
        #expect(frames.first?.type == "observable_members")
        #expect(frames.dropFirst().first?.callback == callback)
        bob.say("observable-room", "2")
        let leaving = ann.post("\"type\":\"unsubscribe\",\"room\":\"observable-room\"")
        bob.say("observable-room", "3")
        frames = ann.receive()
        #expect(frames.last?.callback == leaving)
        #expect(frames.count { $0.callback == leaving } == 1)
    }
}
