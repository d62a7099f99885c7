import NIOCore
import RoomTestKit
import RoomTransport
import Testing

/// Whoever sends hardly anything that can be read is sent away; whoever errs now and then is answered.
struct BadLinesTests {
    private static func broker(rate: Int) -> TestBroker {
        let broker = TestBroker()
        broker.settings.badFrameRate = rate
        return broker
    }

    @Test(arguments: [
        "nonsense", #"{"type":"dance"}"#, #"{"type":"subscribe","room":7}"#, String(repeating: "x", count: 200_000),
    ])
    func `a connection that sends only rubbish is ended, and told why`(line: String) {
        let broker = Self.broker(rate: 2)
        let (bad, neighbour) = (broker.connect(), broker.connect().joined("room"))
        bad.handshake()
        bad.isDumped = false
        for _ in 0..<50 { bad.sendBytes(line + "\n") }
        let frames = bad.receive()
        #expect(frames.count == 21)
        #expect(frames.last?.type == "goodbye" && frames.last?.code == "rate_limited")
        #expect(frames.last?.text("reason")?.contains("more than 2 lines a second that cannot be read") == true)
        #expect(bad.isClosed)
        #expect(neighbour.publish("room", "1")?.seq == 1)
    }

    @Test func `all in one read is the same`() {
        let bad = Self.broker(rate: 1).connect()
        bad.handshake()
        bad.sendBytes(String(repeating: "x\n", count: 1_000) + #"{"type":"ping"}"# + "\n")
        #expect(bad.receive().map { $0.type ?? $0.code } == Array(repeating: "malformed_json", count: 10) + ["goodbye"])
    }

    @Test func `a bad line now and then is only answered`() {
        let broker = Self.broker(rate: 1)
        let ann = broker.connect()
        ann.handshake()
        for _ in 0..<100 {
            ann.sendBytes("nonsense\n")
            #expect(ann.receive().map(\.code) == ["malformed_json"])
            broker.advance(by: .seconds(1))
        }
        #expect(!ann.isClosed)
    }

    @Test func `requests that fail are no bad lines`() {
        let ann = Self.broker(rate: 1).connect()
        ann.handshake()
        for _ in 0..<100 { #expect(ann.unsubscribe("room")?.code == "not_subscribed") }
        #expect(!ann.isClosed)
    }

    @Test func `without a limit everything is answered`() {
        let ann = Self.broker(rate: .max).connect()
        ann.handshake()
        for _ in 0..<2_000 { ann.sendBytes("x\n") }
        #expect(ann.receive().count == 2_000)
        #expect(!ann.isClosed)
    }

    @Test(arguments: [
        ByteBuffer(bytes: [0xff, 0x0a]), ByteBuffer(string: "{\"type\":1}\n"),
        ByteBuffer(string: String(repeating: "x", count: 200_000) + "\n"),
    ])
    func `plain text that is none ends likewise`(line: ByteBuffer) {
        let bad = Self.broker(rate: 1).connect()
        bad.sendBytes("msg:hello\n")
        #expect(bad.receiveLines() == ["?: hello"])
        for _ in 0..<50 { bad.sendBytes(line) }
        let lines = bad.receiveLines()
        #expect(lines.count == 11)
        #expect(lines.last?.contains("more than 1 lines a second") == true)
        #expect(bad.isClosed)
    }
}
