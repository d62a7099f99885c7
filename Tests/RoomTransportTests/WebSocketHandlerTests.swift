import NIOCore
import RoomCore
import RoomTestKit
import RoomTransport
import RoomWire
import Testing

@testable import RoomDelivery

/// One WebSocket's bytes in time: splits, fragments, back-pressure, deadlines, and what breaks the protocol's rules.
struct WebSocketHandlerTests {
    private static let handshake = #"{"type":"handshake","channel":"test","callback":0}"#

    private static func bytes(_ connection: TestConnection, _ texts: String...) -> [UInt8] {
        texts.flatMap { Array((connection.webSocket?.message($0) ?? ByteBuffer()).readableBytesView) }
    }

    @Test func `frames that come one byte at a time are answered`() {
        let ann = TestBroker().connectWebSocket()
        for byte in Self.bytes(ann, Self.handshake, #"{"type":"ping"}"#, "", " \n") {
            ann.sendBytes(ByteBuffer(bytes: [byte]))
            ann.broker.run()
        }
        #expect(ann.summaries() == ["reply 0", "pong"])
    }

    @Test func `binary messages are taken as text ones, and fragments are put together`() {
        let ann = TestBroker().connectWebSocket()
        if let binary = ann.webSocket?.frame(.binary, { $0.writeString(Self.handshake) }) { ann.sendBytes(binary) }
        var parts = Self.bytes(ann, #"{"type":"#, #""ping"}"#)
        parts[0] = 0x01
        let second = parts.count - 6 - 7
        parts[second] = 0x80
        if let ping = ann.webSocket?.frame(.ping) { parts.insert(contentsOf: ping.readableBytesView, at: second) }
        ann.sendBytes(ByteBuffer(bytes: parts))
        #expect(ann.summaries() == ["reply 0", "pong"])
        #expect(ann.webSocket?.takeEvents() == [.pong])
    }

    @Test(arguments: ["", " ", "\r\n", " \t \n"])
    func `a blank message is ignored as a blank line is, and costs credit`(text: String) {
        let broker = TestBroker()
        broker.settings.badFrameRate = 1
        let ann = broker.connectWebSocket()
        ann.handshake()
        let bytes = (0..<500).flatMap { _ in Self.bytes(ann, text) }
        ann.sendBytes(ByteBuffer(bytes: bytes))
        #expect(ann.request(#""type":"ping""#) != nil)
        #expect(ann.receive().isEmpty)
        #expect(!ann.isClosed)
        let spent = broker.shards[0].onLoop.connections.all.reduce(0) { $0 + $1.share.spent }
        #expect(spent >= 500)
    }

    @Test func `a message that is not a frame is answered, and the connection goes on`() {
        let ann = TestBroker().connectWebSocket()
        ann.handshake()
        ann.sendBytes(ByteBuffer(bytes: Self.bytes(ann, "nonsense", "[]")))
        ann.send(#"{"type":"ping","callback":9}"#)
        #expect(ann.receive().map { $0.code ?? $0.summary } == ["malformed_json", "malformed_json", "reply 9"])
        if let binary = ann.webSocket?.frame(.binary, { $0.writeBytes([0x22, 0xff, 0x22]) }) { ann.sendBytes(binary) }
        #expect(ann.receive().map(\.code) == ["invalid_utf8"])
        #expect(!ann.isClosed)
    }

    @Test func `frames behind a handshake that is not answered yet wait for it`() {
        let broker = TestBroker(shards: 2)
        let first = broker.connect(shard: 1)
        let token = first.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let again = broker.connectWebSocket()
        let frames = Self.bytes(
            again,
            #"{"type":"handshake","channel":"test","resume":"\#(token)","callback":0}"#,
            #"{"type":"subscribe","room":"room","callback":1}"#,
            #"{"type":"ping","callback":2}"#
        )
        again.sendBytes(ByteBuffer(bytes: frames))
        #expect(again.receive().map(\.summary) == ["reply 0", "reply 2", "reply 1"])
    }

    @Test(
        arguments: [
            ([0x81, 0x00], 1002), ([0xc1, 0x80, 0, 0, 0, 0], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002),
            ([0x80, 0x80, 0, 0, 0, 0], 1002), ([0x09, 0x80, 0, 0, 0, 0], 1002), ([0x89, 0xfe, 0, 126], 1002),
            ([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002), ([0x88, 0x81, 0, 0, 0, 0, 3], 1002),
            ([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0], 1009), ([0x81, 0x81, 0, 0, 0, 0, 0xff], 1007),
        ] as [([UInt8], UInt16)]
    )
    func `what breaks a rule is told by a Close, and the members hear of it`(bytes: [UInt8], closeCode: UInt16) {
        let broker = TestBroker()
        let bob = broker.connect().joined("observable-room")
        let ann = broker.connectWebSocket().joined("observable-room")
        _ = bob.receive()
        let callback = ann.post(#""type":"ping""#)
        ann.sendBytes(ByteBuffer(bytes: bytes))
        ann.send(#"{"type":"ping","callback":77}"#)
        #expect(ann.reply(to: callback) != nil)
        #expect(ann.receive().isEmpty)
        let events = ann.webSocket?.takeEvents() ?? []
        guard events.count == 1, case .close(let close) = events[0] else {
            Issue.record("\(events)")
            return
        }
        #expect(close.code == closeCode)
        #expect(!close.reason.isEmpty)
        #expect(ann.isClosed)
        #expect(bob.summaries() == ["observable_member_leave"])
        broker.advance(by: .seconds(6))
        #expect(ann.isGone)
    }

    @Test func `a client that says nothing is told so after the time for the handshake`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        if let ping = ann.webSocket?.frame(.ping) { ann.sendBytes(ping) }
        broker.advance(by: .seconds(11))
        #expect(ann.receive().map(\.code) == ["handshake_timeout"])
        #expect(ann.isClosed)
    }

    @Test func `a client that does not read its replies is not read from`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        ann.handshake()
        ann.stopReading()
        for number in 0..<5_000 {
            ann.send(#"{"type":"ping","callback":\#(number)}"#)
            if number % 500 == 0 { broker.run() }
        }
        broker.run()
        #expect(!ann.isRead)
        ann.readOn()
        #expect(ann.isRead)
        #expect(ann.receive().count == 5_000)
    }

    @Test(arguments: [WebSocketOpcode.ping, .pong, .continuation])
    func `a flood of empty frames is handled in turns`(opcode: WebSocketOpcode) {
        let broker = TestBroker(waitsForSockets: true)
        let flood = broker.connectWebSocket()
        flood.handshake()
        var bytes = ByteBuffer()
        if opcode == .continuation { bytes.writeBytes([0x01, 0x80, 0, 0, 0, 0]) }
        let first = opcode == .continuation ? 0 : 0x80 | opcode.rawValue
        for _ in 0..<10_000 { bytes.writeBytes([first, 0x80, 0, 0, 0, 0]) }
        flood.sendBytes(bytes)
        broker.run()
        // it has used its credit: the others have their turn before the rest of it
        #expect(!flood.isRead)
        let bob = broker.connect()
        #expect(bob.handshake()?.code == nil)
        for _ in 0..<1_000 where !flood.isRead { broker.lookAtSockets() }
        #expect(flood.isRead)
    }
}
