import NIOCore
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import RoomWire
import Testing

/// How a WebSocket ends, by either side, and what keeps it alive.
struct WebSocketEndTests {
    private static func close(_ code: UInt16?, _ connection: TestConnection) -> ByteBuffer {
        connection.webSocket?.frame(.close) { WebSocketClose(code: code).write(into: &$0) } ?? ByteBuffer()
    }

    // MARK: The client's end

    @Test(arguments: [nil, 1000, 1001, 4000] as [UInt16?])
    func `a Close is answered with its code when all that came before it is, and the rooms are left`(code: UInt16?) {
        let broker = TestBroker(shards: 2)
        let bob = broker.connect().joined("observable-room")
        let ann = broker.connectWebSocket(shard: 1).joined("observable-room")
        _ = bob.receive()
        let callback = ann.post("\"type\":\"publish\",\"room\":\"observable-room\",\"message\":1")
        ann.sendBytes(Self.close(code, ann))
        ann.send(#"{"type":"publish","room":"observable-room","message":"too late"}"#)
        #expect(ann.reply(to: callback) != nil)
        #expect(ann.webSocket?.takeEvents() == [.close(WebSocketClose(code: code))])
        #expect(ann.isClosed)
        #expect(bob.summaries() == ["publish 1", "observable_member_leave"])
        #expect(!ann.isGone)
        ann.halfClose()
        #expect(ann.isGone)
    }

    @Test func `a Close before the handshake is answered, too`() {
        let ann = TestBroker().connectWebSocket()
        ann.sendBytes(Self.close(1000, ann))
        #expect(ann.receive().isEmpty)
        #expect(ann.webSocket?.takeEvents() == [.close(WebSocketClose(code: 1000))])
        #expect(ann.isClosed)
    }

    @Test func `a client that leaves its socket open behind its Close is closed`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket().joined("room")
        ann.sendBytes(Self.close(1000, ann))
        broker.run()
        broker.advance(by: .seconds(40))
        #expect(ann.isGone)
    }

    @Test func `a client that is gone without a Close is not a member any more`() {
        let broker = TestBroker()
        let bob = broker.connect().joined("observable-room")
        let ann = broker.connectWebSocket().joined("observable-room")
        _ = bob.receive()
        ann.drop()
        #expect(bob.summaries() == ["observable_member_leave"])
        let cid = broker.connectWebSocket().joined("observable-room")
        _ = bob.receive()
        cid.halfClose()
        #expect(bob.summaries() == ["observable_member_leave"])
        #expect(cid.isGone)
        #expect(cid.webSocket?.takeEvents() == [])
    }

    // MARK: The broker's end

    @Test func `a goodbye to those who are to come back has no Close behind it`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket().joined("room")
        for shard in broker.shards { shard.onLoop.drain(spreadMilliseconds: 1) }
        #expect(ann.receive().map(\.code) == ["shutting_down"])
        #expect(ann.isClosed)
        #expect(ann.webSocket?.takeEvents() == [])
    }

    @Test func `a goodbye that keeps a client away has a Close behind it, which is waited for`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        let token = ann.handshake(",\"resumable\":true")?.text("resume_token") ?? ""
        ann.subscribe("room")
        _ = ann.receive()
        let again = broker.connect()
        again.handshake(",\"resume\":\"\(token)\"")
        #expect(ann.receive().map(\.code) == ["replaced"])
        let reason = "this session was resumed on another connection"
        #expect(ann.webSocket?.takeEvents() == [.close(WebSocketClose(code: 4506, reason: reason))])
        #expect(!ann.isClosed)
        ann.say("room", "\"on its way\"")
        ann.sendBytes(Self.close(4506, ann))
        #expect(ann.isClosed)
        #expect(ann.webSocket?.takeEvents() == [])
    }

    @Test func `an answer that comes too late does not follow a Close`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        let token = ann.handshake(",\"resumable\":true")?.text("resume_token") ?? ""
        ann.subscribe("room")
        _ = ann.receive()
        broker.engine.hold()
        ann.send(#"{"type":"publish","room":"room","message":1,"callback":7}"#)
        broker.run()
        let again = broker.connect()
        again.handshake(",\"resume\":\"\(token)\"")
        broker.engine.release()
        broker.run()
        #expect(ann.receive().map(\.code) == ["replaced"])
        #expect(ann.webSocket?.takeEvents().count == 1)
    }

    @Test func `nothing follows the answer to a Close`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket().joined("room")
        let bob = broker.connect().joined("room")
        ann.stopReading(after: 0)
        for number in 1...20 { bob.say("room", "\"\(number)\(String(repeating: "x", count: 500))\"") }
        ann.sendBytes(Self.close(1000, ann))
        ann.halfClose()
        broker.run()
        broker.moderate { $0.sanctions.set(.imposed(.mute, on: .network("127.0.0.1"), seconds: 60)) }
        broker.run()
        ann.readOn()
        #expect(ann.receive().allSatisfy { $0.type == "publish" })
        #expect(ann.webSocket?.takeEvents() == [.close(WebSocketClose(code: 1000))])
    }

    @Test func `a client that does not answer a Close is closed`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        let token = ann.handshake(",\"resumable\":true")?.text("resume_token") ?? ""
        broker.connect().handshake(",\"resume\":\"\(token)\"")
        #expect(!ann.isClosed)
        broker.advance(by: .seconds(6))
        #expect(ann.isGone)
    }

    // MARK: Ping and pong

    @Test func `a ping is answered with what it has, also before the handshake`() {
        let ann = TestBroker().connectWebSocket()
        for text in ["", "are you there", String(repeating: "x", count: 125)] {
            if let ping = ann.webSocket?.frame(.ping, { $0.writeString(text) }) { ann.sendBytes(ping) }
        }
        _ = ann.receive()
        // a pong has no payload for `TestWebSocket`
        #expect(ann.webSocket?.takeEvents() == [.pong, .pong, .pong])
        #expect(ann.handshake()?.code == nil)
    }

    @Test func `a silent client is pinged, and goes if it does not answer`() {
        let broker = TestBroker()
        let bob = broker.connect().joined("observable-room")
        let ann = broker.connectWebSocket().joined("observable-room")
        _ = bob.receive()
        broker.advance(by: .seconds(20))
        ann.say("observable-room", "1")
        broker.advance(by: .seconds(20))
        #expect(ann.summaries() == ["publish 1"])
        #expect(ann.webSocket?.takeEvents() == [])
        broker.advance(by: .seconds(11))
        _ = ann.receive()
        #expect(ann.webSocket?.takeEvents() == [.ping(ByteBuffer())])
        if let pong = ann.webSocket?.frame(.pong) { ann.sendBytes(pong) }
        broker.run()
        broker.advance(by: .seconds(31))
        _ = ann.receive()
        #expect(ann.webSocket?.takeEvents() == [.ping(ByteBuffer())])
        _ = bob.receive()
        broker.advance(by: .seconds(30))
        #expect(ann.receive().map(\.code) == ["heartbeat_timeout"])
        #expect(ann.webSocket?.takeEvents() == [])
        #expect(ann.isClosed)
        #expect(bob.summaries() == ["observable_member_leave"])
    }

    @Test func `the pings can be turned off, and a client that asks for its own has no others`() {
        var limits = BrokerLimits()
        limits.webSocketPing = nil
        let ann = TestBroker(limits: limits).connectWebSocket().joined("room")
        ann.broker.advance(by: .hours(1))
        #expect(ann.receive().isEmpty)
        #expect(ann.webSocket?.takeEvents() == [])
        let bob = TestBroker().connectWebSocket()
        bob.handshake(",\"heartbeat\":45")
        bob.broker.advance(by: .seconds(46))
        #expect(bob.summaries() == ["ping"])
        #expect(bob.webSocket?.takeEvents() == [])
    }

    // MARK: Web pages

    @Test(
        arguments: [
            ([], "https://evil.example", "chat.example", false),
            ([], "http://localhost:3000", "127.0.0.1:10001", true),
            (["any"], "https://evil.example", "chat.example", true),
            (["https://app.example"], "https://app.example", "chat.example", true),
            (["https://app.example"], "https://chat.example", "chat.example", true),
            (["https://app.example"], "http://chat.example:10001", "chat.example:10001", true),
            (["https://app.example"], "ws://CHAT.example:10001", "chat.example:10001", true),
            (["https://app.example"], "https://chat.example", "chat.example:443", true),
            (["https://app.example"], "http://[::1]:10001", "[::1]:10001", true),
            (["https://app.example"], "http://[::1]", "[::1]:80", true),
            (["https://app.example"], nil, "chat.example", true),
            (["https://app.example"], "https://evil.example", "chat.example", false),
            (["https://app.example"], "http://chat.example", "chat.example:10001", false),
            (["https://app.example"], "null", "chat.example", false),
            (["https://app.example"], "https://app.example.evil.example", nil, false),
        ] as [([String], String?, String?, Bool)]
    )
    func `a channel that lists origins is for their pages`(
        allowed: [String],
        origin: String?,
        host: String?,
        isLetIn: Bool
    ) {
        var channel = ChannelSettings.make("test", history: nil)
        channel.allowedOrigins = allowed
        let broker = TestBroker(channels: [channel])
        let ann = broker.connectWebSocket(origin: origin, host: host)
        let reply = ann.handshake()
        #expect(reply?.code == (isLetIn ? nil : "permission_denied"))
        #expect(reply?.text("client_id")?.isEmpty == !isLetIn)
    }
}
