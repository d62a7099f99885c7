import NIOCore
import RoomWire
import Testing

@testable import RoomBench

@Suite struct FrameScannerTests {
    private static let stamp = """
        "id":"019aa3c5-7b00-7004-8f21-6c0d5e4b3a04","timestamp":1763697600
        """
    private static let text = MarkedText(size: 40)

    private static func publish(_ number: Int) -> String {
        let message = String(buffer: Self.text.json(number))
        return """
            {"type":"publish","room":"bench-1-0",\(Self.stamp),"seq":42,"client_id":"Kf3Qz81LmXw0TbR","sender":{"id":"Kf3Qz81LmXw0TbR"},"message":\(message)}
            """
    }

    private static let acknowledgements = [
        #"{"callback":12,"seq":43,\#(Self.stamp),"sender":{"id":"Kf3Qz81LmXw0TbR"}}"#,
        #"{"callback":-3,\#(Self.stamp),"sender":{"id":"Kf3Qz81LmXw0TbR"}}"#,
    ]
    private static let others = [
        #"{"callback":0,"client_id":"Kf3Qz81LmXw0TbR",\#(Self.stamp),"sender":{"id":"roomline","kind":"broker"}}"#,
        #"{"callback":12,"error":"slow down","code":"rate_limited",\#(Self.stamp),"sender":{"id":"roomline","kind":"broker"}}"#,
        #"{"type":"gap","room":"r","epoch":"5f3c9a1e7b240d86","from_seq":1,"to_seq":2,"reason":"trimmed",\#(Self.stamp)}"#,
        #"{"type":"ping",\#(Self.stamp)}"#,
        "{}",
    ]

    /// Messages 7, 8 and 9, two acknowledgements, and all others, in a row.
    private static var frames: [String] {
        [Self.publish(7), Self.others[0], Self.acknowledgements[0], Self.publish(8)] + Self.others.dropFirst()
            + [Self.acknowledgements[1], Self.publish(9)]
    }

    private static func bytes(_ isWebSocket: Bool) -> ByteBuffer {
        var bytes = ByteBuffer()
        for frame in Self.frames {
            if isWebSocket {
                WebSocketFrameWriter.write(.text, into: &bytes) { $0.writeString(frame) }
            } else {
                bytes.writeString(frame + "\n")
            }
        }
        return bytes
    }

    @Test(arguments: [false, true])
    func `all frames of one read are counted`(isWebSocket: Bool) {
        var scanner = FrameScanner(isWebSocket: isWebSocket, reading: Self.text)
        let result = scanner.scan(Self.bytes(isWebSocket))
        #expect(result.deliveries == 3)
        #expect(result.acknowledgements == 2)
        #expect(result.others == Self.others.map { .frame(ByteBuffer(string: $0)) })
        #expect(scanner.markers == [7, 8, 9])
    }

    @Test(arguments: [false, true], [1, 2, 3, 5, 16, 100, 333])
    func `however the network splits them`(isWebSocket: Bool, size: Int) {
        var scanner = FrameScanner(isWebSocket: isWebSocket, reading: Self.text)
        var bytes = Self.bytes(isWebSocket)
        var sum = FrameScanner.Result()
        var numbers: [Int] = []
        while let piece = bytes.readSlice(length: min(size, bytes.readableBytes)), piece.readableBytes > 0 {
            let result = scanner.scan(piece)
            sum.deliveries += result.deliveries
            sum.acknowledgements += result.acknowledgements
            sum.others += result.others
            numbers += scanner.markers
        }
        #expect(sum.deliveries == 3)
        #expect(sum.acknowledgements == 2)
        #expect(sum.others == Self.others.map { .frame(ByteBuffer(string: $0)) })
        #expect(numbers == [7, 8, 9])
    }

    @Test(arguments: [10, 100, 200, 70_000])
    func `frames of all lengths`(size: Int) {
        let text = MarkedText(size: size)
        for isWebSocket in [false, true] {
            var scanner = FrameScanner(isWebSocket: isWebSocket, reading: text)
            let frame = #"{"type":"publish","room":"r","message":\#(String(buffer: text.json(3)))}"#
            var bytes = ByteBuffer()
            if isWebSocket {
                WebSocketFrameWriter.write(.text, into: &bytes) { $0.writeString(frame) }
            } else {
                bytes.writeString(frame + "\n")
            }
            let result = scanner.scan(bytes)
            #expect(result.deliveries == 1)
            #expect(scanner.markers == [3])
        }
    }

    @Test func `the control frames of a WebSocket`() {
        var scanner = FrameScanner(isWebSocket: true)
        var bytes = ByteBuffer()
        WebSocketFrameWriter.write(.ping, into: &bytes) { $0.writeString("hi") }
        WebSocketFrameWriter.write(.pong, into: &bytes) { _ in }
        WebSocketFrameWriter.write(.close, into: &bytes) { WebSocketClose(code: 1000).write(into: &$0) }
        let others = scanner.scan(bytes).others
        #expect(others == [.ping(ByteBuffer(string: "hi")), .close])
    }

    @Test func `what is not a frame is not waited for`() {
        var scanner = FrameScanner(isWebSocket: true)
        let answer = scanner.scan(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n"))
        #expect(answer.others.contains(.fault))
        var binary = ByteBuffer()
        WebSocketFrameWriter.write(.binary, into: &binary) { $0.writeString("x") }
        var another = FrameScanner(isWebSocket: true)
        let result = another.scan(binary)
        #expect(result.others == [.fault])
    }

    @Test func `a message of another size has no number`() {
        var scanner = FrameScanner(isWebSocket: false, reading: MarkedText(size: 41))
        let result = scanner.scan(ByteBuffer(string: Self.publish(7) + "\n"))
        #expect(result.deliveries == 1)
        #expect(scanner.markers.isEmpty)
    }

    @Test func `a frame with a mask is not a frame of a server`() {
        var scanner = FrameScanner(isWebSocket: true)
        // As a length of 8 bytes it would be waited for.
        #expect(scanner.scan(ByteBuffer(bytes: [0x81, 0x82, 1, 2])).others == [.fault])
    }
}
