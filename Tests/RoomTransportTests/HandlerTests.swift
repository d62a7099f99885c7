import NIOCore
import RoomCore
import RoomTestKit
import RoomTransport
import RoomWire
import Testing

/// One connection's bytes in time: splits, back-pressure, half-closing, deadlines and the gate.
struct HandlerTests {
    private static let handshake = #"{"type":"handshake","channel":"test","callback":0}"#

    @Test func `frames that come one byte at a time are answered`() {
        let ann = TestBroker().connect()
        for byte in (Self.handshake + "\r\n" + #"{"type":"ping"}"# + "\n").utf8 {
            ann.sendBytes(ByteBuffer(bytes: [byte]))
            ann.broker.run()
        }
        #expect(ann.summaries() == ["reply 0", "pong"])
    }

    @Test func `frames behind a handshake that is not answered yet wait for it`() {
        let broker = TestBroker(shards: 2)
        let first = broker.connect(shard: 1)
        let token = first.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let again = broker.connect()
        again.sendBytes(
            """
            {"type":"handshake","channel":"test","resume":"\(token)","callback":0}
            {"type":"subscribe","room":"room","callback":1}
            nonsense
            {"type":"ping","callback":2}

            """
        )
        #expect(again.receive().map { $0.code ?? $0.summary } == ["reply 0", "malformed_json", "reply 2", "reply 1"])
    }

    @Test func `a resume is answered although the client sends nothing more`() {
        let broker = TestBroker(shards: 2)
        let first = broker.connect(shard: 1)
        let token = first.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let again = broker.connect()
        let callback = again.post("\"type\":\"handshake\",\"channel\":\"test\",\"resume\":\"\(token)\"")
        again.halfClose()
        #expect(again.reply(to: callback)?.flag("resumed") == true)
        #expect(again.isGone)
    }

    @Test func `a client that does not read its replies is not read from`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        ann.stopReading()
        let pings = String(repeating: #"{"type":"ping"}"# + "\n", count: 4_000)
        for _ in 0..<3 { ann.sendBytes(pings) }
        broker.run()
        #expect(!ann.isRead)
        ann.readOn()
        #expect(ann.isRead)
        #expect(ann.receive().count == 12_000)
    }

    @Test func `many requests in one read are all answered to a client that reads`() {
        let ann = TestBroker().connect()
        ann.sendBytes(Self.handshake + "\n" + String(repeating: #"{"type":"ping"}"# + "\n", count: 10_000))
        ann.broker.run()
        #expect(ann.receive().count == 10_001)
        #expect(ann.isRead)
    }

    @Test func `behind a frame that waits only so much is read`() {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.handshake()
        broker.engine.hold()
        for _ in 0..<2_000 { _ = ann.post(#""type":"history","room":"room""#) }
        broker.run()
        #expect(!ann.isRead)
        broker.engine.release()
        #expect(ann.receive().count == 2_000)
        #expect(ann.isRead)
    }

    @Test func `a half-closed client gets its answers, then the end`() {
        let ann = TestBroker().connect()
        ann.sendBytes(Self.handshake + "\n" + #"{"type":"publish","room":"room","message":1,"callback":1}"#)
        ann.halfClose()
        #expect(ann.summaries() == ["reply 0", "reply 1"])
        #expect(ann.isGone)
        #expect(ann.broker.connectionTotal == 0)
    }

    @Test(arguments: ["", "{", #"{"type":"ping","callback":1}"# + "\n"])
    func `without a handshake in time a connection is closed`(bytes: String) {
        let broker = TestBroker()
        broker.settings.textRoom?.listeningAfter = nil
        let ann = broker.connect()
        ann.sendBytes(bytes)
        broker.advance(by: .seconds(9))
        #expect(!ann.isClosed)
        broker.advance(by: bytes.isEmpty ? .minutes(5) : .seconds(2))
        #expect(ann.receive().last?.code == "handshake_timeout")
        #expect(ann.isClosed)
    }

    @Test func `a TLS handshake has the time of a handshake`() {
        let broker = TestBroker()
        broker.settings.awaitsTLS = true
        let ann = broker.connect()
        broker.advance(by: .seconds(9))
        #expect(!ann.isClosed)
        broker.advance(by: .seconds(2))
        #expect(ann.isClosed)
    }

    @Test func `after the handshake silence closes nothing`() {
        let ann = TestBroker().connect()
        ann.handshake()
        ann.broker.advance(by: .hours(24))
        #expect(!ann.isClosed)
    }

    @Test func `blanks without end are no detected, and take no memory`() {
        let broker = TestBroker()
        broker.settings.textRoom?.listeningAfter = nil
        let ann = broker.connect()
        for _ in 0..<20 {
            ann.sendBytes(String(repeating: " ", count: 10_000))
            broker.run()
        }
        ann.sendBytes(Self.handshake + "\n")
        #expect(ann.summaries() == ["reply 0"])
        let silent = broker.connect()
        silent.sendBytes(" \n")
        broker.advance(by: .minutes(6))
        #expect(silent.isClosed)
    }

    @Test func `connections are limited in all and for each address`() {
        var limits = ConnectionGate.Limits()
        limits.total = 4
        limits.perAddress = 2
        let broker = TestBroker(gate: limits)
        let near = (0..<3).map { _ in broker.connect(from: "192.0.2.1") }
        #expect(near.map(\.isClosed) == [false, false, true])
        #expect(near[2].receive().last?.code == "too_many_connections")
        let others = (0..<3).map { _ in broker.connect(from: "127.0.0.1") }
        #expect(others.map(\.isClosed) == [false, false, true])
        near[0].drop()
        #expect(!broker.connect(from: "192.0.2.1").isClosed)
    }

    @Test func `only so many connections may be silent for long`() {
        var limits = ConnectionGate.Limits()
        limits.silent = 1
        let broker = TestBroker(gate: limits)
        let clients = [broker.connect(), broker.connect()]
        broker.advance(by: .seconds(11))
        #expect(clients.map(\.isClosed) == [false, true])
        clients[0].sendBytes("hello\n")
        broker.run()
        let next = broker.connect()
        broker.advance(by: .seconds(11))
        #expect(!next.isClosed)
    }

    @Test func `a WebSocket counts as silent until its first message`() {
        var limits = ConnectionGate.Limits()
        limits.silent = 1
        let broker = TestBroker(gate: limits)
        let webSocket = broker.connectWebSocket()
        // the protocol's own frames are no word of the client
        if let ping = webSocket.webSocket?.frame(.ping) { webSocket.sendBytes(ping) }
        let early = broker.connect()
        broker.advance(by: .seconds(9))
        webSocket.handshake()
        let late = broker.connect()
        broker.advance(by: .seconds(11))
        #expect([early, late].map(\.isClosed) == [true, false])
        let other = broker.connectWebSocket()
        late.drop()
        other.drop()
        let next = broker.connect()
        broker.advance(by: .seconds(11))
        #expect(!next.isClosed)
    }
}
