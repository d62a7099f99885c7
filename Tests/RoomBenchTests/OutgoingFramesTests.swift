import NIOCore
import RoomModel
import RoomWire
import Testing

@testable import RoomBench

@Suite struct OutgoingFramesTests {
    private func frames(isWebSocket: Bool) -> ByteBuffer {
        var frames = OutgoingFrames(isWebSocket: isWebSocket)
        frames.handshake(channel: "bench", token: "a.b.c")
        frames.subscribe(to: RoomName("bench-1-0"))
        frames.publish(MarkedText(size: 12).json(7), in: RoomName("bench-1-0"), callback: 10)
        return frames.bytes
    }

    private let lines = [
        #"{"type":"handshake","channel":"bench","token":"a.b.c","callback":0}"#,
        #"{"type":"subscribe","room":"bench-1-0","callback":1}"#,
        #"{"type":"publish","room":"bench-1-0","message":"0000000007xx","callback":10}"#,
    ]

    @Test func `a line each`() {
        #expect(String(buffer: self.frames(isWebSocket: false)) == self.lines.map { $0 + "\n" }.joined())
    }

    @Test func `messages of a WebSocket, masked and without newlines`() {
        var framer = WebSocketFramer(role: .server, limits: FrameLimits())
        framer.append(self.frames(isWebSocket: true))
        framer.append(OutgoingFrames.pong(ByteBuffer(string: "hi")))
        framer.append(OutgoingFrames.close())
        var events: [WebSocketFramer.Event] = []
        while let event = framer.next() { events.append(event) }
        let messages = self.lines.map { WebSocketFramer.Event.message(ByteBuffer(string: $0), isText: true) }
        #expect(events == messages + [.pong, .close(WebSocketClose(code: 1000))])
    }

    @Test(arguments: [10, 11, 128])
    func `a text has its size and its number`(size: Int) {
        let text = MarkedText(size: size)
        let json = text.json(1_234_567)
        #expect(json.readableBytes == size + 2)
        let frame = ByteBuffer(string: #"{"message":\#(String(buffer: json))}"#)
        let number = frame.withUnsafeReadableBytes { text.number(inFrameTo: $0.count, of: $0) }
        #expect(number == 1_234_567)
        let short = ByteBuffer(string: "{}")
        #expect(short.withUnsafeReadableBytes { text.number(inFrameTo: $0.count, of: $0) } == nil)
    }
}
