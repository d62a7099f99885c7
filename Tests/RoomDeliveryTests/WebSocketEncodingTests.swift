import NIOCore
import RoomWire
import Testing

@testable import RoomDelivery

struct WebSocketEncodingTests {
    @Test func `each line is a frame, and nothing stays nothing`() {
        let texts = ["one", "", String(repeating: "x", count: 125), String(repeating: "y", count: 70_000), "five"]
        var lines = Encoding()
        for text in texts { lines.append { if !text.isEmpty { $0.writeString(text + "\n") } } }
        let encoding = Encoding(webSocket: lines)
        #expect(encoding.count == 5)
        #expect(encoding.range(ofEntry: 1).isEmpty)
        for (index, text) in texts.enumerated() where !text.isEmpty {
            let range = encoding.range(ofEntry: index)
            var expected = ByteBuffer()
            WebSocketFrameWriter.write(.text, into: &expected) { $0.writeString(text) }
            #expect(encoding.bytes.getSlice(at: range.lowerBound, length: range.count) == expected)
        }
    }
}
