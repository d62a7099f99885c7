import NIOCore
import RoomModel
import RoomWire
import Testing

@testable import RoomClient

struct WebSocketConversationTests {
    /// An open WebSocket, which has sent one line.
    private static func open(limit: Int = 1_000) throws -> WebSocketConversation {
        let address = try BrokerAddress("ws://broker.example")
        var conversation = WebSocketConversation(to: address, path: "/", limit: limit)
        let request = conversation.write(ByteBuffer(string: "hello\n"))
        conversation.append(ByteBuffer(string: WebSocketBrokerEnd.answer(String(buffer: request))))
        guard case .answer(let first) = conversation.next() else { throw NotOpen() }
        #expect(Self.read(first) == ["text hello"])
        return conversation
    }

    private struct NotOpen: Error {}

    /// Frames of a client, each of which has to be masked and final.
    private static func read(_ bytes: ByteBuffer) -> [String] {
        var (bytes, frames) = (bytes, [String]())
        while let first = bytes.readInteger(as: UInt8.self), let second = bytes.readInteger(as: UInt8.self) {
            #expect(first & 0x80 != 0 && second & 0x80 != 0)
            var length = Int(second & 0x7f)
            if length == 126 { length = bytes.readInteger(as: UInt16.self).map { Int($0) } ?? 0 }
            guard let mask = bytes.readBytes(length: 4), let masked = bytes.readBytes(length: length) else { break }
            let payload = masked.enumerated().map { $1 ^ mask[$0 % 4] }
            let name = [1: "text", 8: "close", 10: "pong"][first & 0x0f] ?? "?"
            frames.append("\(name) \(String(decoding: payload, as: UTF8.self))")
        }
        return frames
    }

    private static func frame(_ opcode: WebSocketOpcode, _ text: String) -> ByteBuffer {
        var bytes = ByteBuffer()
        WebSocketFrameWriter.write(opcode, into: &bytes) { $0.writeString(text) }
        return bytes
    }

    @Test func `nothing but the request goes out before the WebSocket is open`() throws {
        let address = try BrokerAddress("ws://broker.example")
        var conversation = WebSocketConversation(to: address, path: "/", limit: 1_000)
        let request = conversation.write(ByteBuffer(string: "one\n"))
        #expect(String(buffer: request).hasPrefix("GET / HTTP/1.1\r\n"))
        #expect(conversation.write(ByteBuffer(string: "two\nthree\n")).readableBytes == 0)
        #expect(conversation.closing(isFarewell: true) == nil)
        #expect(conversation.next() == nil)
        conversation.append(ByteBuffer(string: WebSocketBrokerEnd.answer(String(buffer: request))))
        guard case .answer(let early) = conversation.next() else { throw NotOpen() }
        #expect(Self.read(early) == ["text one", "text two", "text three"])
        #expect(conversation.next() == nil)
    }

    @Test func `each line is a message of its own`() throws {
        var conversation = try Self.open()
        let long = String(repeating: "é", count: 100)
        let bytes = conversation.write(ByteBuffer(string: "one\n\(long)\n\nlast"))
        #expect(Self.read(bytes) == ["text one", "text \(long)", "text ", "text last"])
    }

    @Test func `messages are frames, in one piece or in several, whatever their kind`() throws {
        var conversation = try Self.open()
        var bytes = Self.frame(.text, "one")
        bytes.writeImmutableBuffer(Self.frame(.binary, "two"))
        bytes.writeBytes([0x01, 0x02] + "th".utf8 + [0x8a, 0x00] + [0x80, 0x03] + "ree".utf8)
        var events: [WebSocketConversation.Event] = []
        while let byte = bytes.readSlice(length: 1) {
            conversation.append(byte)
            while let event = conversation.next() { events.append(event) }
        }
        #expect(events == ["one", "two", "three"].map { .frame(ByteBuffer(string: $0)) })
    }

    @Test func `a ping is answered with what it says`() throws {
        var conversation = try Self.open()
        conversation.append(Self.frame(.ping, "are you there"))
        guard case .answer(let bytes) = conversation.next() else { throw NotOpen() }
        #expect(Self.read(bytes) == ["pong are you there"])
    }

    @Test func `a Close is answered with its code, once`() throws {
        var conversation = try Self.open()
        var bytes = ByteBuffer()
        WebSocketFrameWriter.write(.close, into: &bytes) {
            WebSocketClose(code: 1012, reason: "soon back").write(into: &$0)
        }
        conversation.append(bytes)
        #expect(conversation.next() == .closed(WebSocketClose(code: 1012, reason: "soon back")))
        #expect(conversation.next() == nil)
        let answer = conversation.closing(isFarewell: false)
        #expect(answer.map { Self.read($0) } == ["close \u{3}\u{FFFD}"])  // 0x03f4 is 1012
        #expect(conversation.closing(isFarewell: true) == nil)
    }

    @Test func `who leaves says so, and who only loses the connection does not`() throws {
        var conversation = try Self.open()
        #expect(conversation.closing(isFarewell: false) == nil)
        #expect(conversation.closing(isFarewell: true) != nil)
        #expect(conversation.closing(isFarewell: true) == nil)
    }

    @Test(
        arguments: [
            ([0x81, 0x80, 0, 0, 0, 0], 1002), ([0xc1, 0x00], 1002), ([0x83, 0x00], 1002), ([0x80, 0x00], 1002),
            ([0x81, 0x01, 0xff], 1007), ([0x81, 0x7e, 0x03, 0xe9], 1009), ([0x88, 0x01, 0x03], 1002),
        ] as [([UInt8], UInt16)]
    )
    func `a rule that is broken ends it with a Close that says so`(bytes: [UInt8], code: UInt16) throws {
        var conversation = try Self.open()
        conversation.append(ByteBuffer(bytes: bytes))
        guard case .failed(let fault) = conversation.next() else { throw NotOpen() }
        #expect(fault.closeCode == code)
        #expect(conversation.next() == nil)
        #expect(conversation.closing(isFarewell: false) != nil)
    }
}
