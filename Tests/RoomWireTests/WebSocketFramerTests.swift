import NIOCore
import RoomModel
import RoomWire
import Testing

@Suite struct WebSocketFramerTests {
    @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 127, 128, 65_535, 65_536, 65_537, 100_000])
    func `a message of any length comes out as it went in`(length: Int) {
        let text = String(repeating: "abcdefgh123", count: length / 11 + 1).prefix(length)
        #expect(events(of: [.text(String(text))]) == [.text(String(text))])
    }

    @Test func `messages and control frames of one read come out in order`() {
        let frames: [RawWebSocketFrame] = [
            .text("one"), .init(0x89, Array("are you there".utf8)), .init(0x82, [0xff, 0]), .init(0x8a), .text(""),
            .init(0x8a, [1, 2]), .init(0x88, [0x03, 0xe8] + Array("bye".utf8)),
        ]
        #expect(
            events(of: frames) == [
                .text("one"), .ping(ByteBuffer(string: "are you there")),
                .message(ByteBuffer(bytes: [0xff, 0]), isText: false), .pong, .text(""), .pong,
                .close(WebSocketClose(code: 1000, reason: "bye")),
            ]
        )
    }

    @Test func `fragments are one message, with control frames between them`() {
        let frames: [RawWebSocketFrame] = [
            .init(0x01, Array("one ".utf8)), .init(0x89, [1]), .init(0x00), .init(0x00, Array("two".utf8)),
            .init(0x8a), .init(0x80, Array(" three".utf8)), .text("next"),
        ]
        #expect(
            events(of: frames) == [
                .fragment(bytes: 4), .ping(ByteBuffer(bytes: [1])), .fragment(bytes: 0), .fragment(bytes: 3), .pong,
                .text("one two three"), .text("next"),
            ]
        )
    }

    @Test func `an empty Close is told as one`() {
        #expect(events(of: [.init(0x88)]) == [.close(WebSocketClose(code: nil))])
    }

    @Test func `nothing after a Close is looked at`() {
        #expect(events(of: [.init(0x88), .text("late"), .init(0xff)]) == [.close(WebSocketClose(code: nil))])
    }

    @Test func `a server's message is a slice of the read buffer`() {
        var framer = WebSocketFramer.make(.client)
        let read = ByteBuffer(bytes: [0x81, 2] + Array("hi".utf8))
        framer.append(read)
        guard case .message(let bytes, true) = framer.next() else { return #expect(Bool(false), "no message") }
        let start = read.withUnsafeReadableBytes { $0.baseAddress.map { $0 + 2 } }
        #expect(bytes.withUnsafeReadableBytes { $0.baseAddress } == start)
    }

    @Test func `what was read keeps its masked bytes for whoever else has them`() {
        var framer = WebSocketFramer.make(.server)
        let bytes = RawWebSocketFrame.text("hello").bytes
        let read = ByteBuffer(bytes: bytes)
        framer.append(read)
        _ = framer.next()
        #expect(Array(read.readableBytesView) == bytes)
    }
}

/// Each rule of RFC 6455 §5 that a peer can break has its defined end.
@Suite struct WebSocketRuleTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let closeCode: UInt16
        var testDescription: String { self.name }
    }

    @Test(arguments: cases)
    func `a broken rule ends the framer`(broken: Case) {
        var framer = WebSocketFramer.make(.server)
        framer.append(ByteBuffer(bytes: RawWebSocketFrame.text("before").bytes + broken.bytes))
        var events = framer.events()
        guard case .failure(let fault) = events.popLast() else { return #expect(Bool(false), "\(events)") }
        #expect(fault.closeCode == broken.closeCode)
        #expect(!fault.text.isEmpty)
        #expect(events.first == .text("before"))
        framer.append(ByteBuffer(bytes: RawWebSocketFrame.text("after").bytes))
        #expect(framer.next() == nil)
        #expect(!framer.hasUnread)
    }

    @Test func `a client does not take masked frames`() {
        var framer = WebSocketFramer.make(.client)
        framer.append(ByteBuffer(bytes: RawWebSocketFrame.text("hello").bytes))
        guard case .failure(let fault) = framer.next() else { return #expect(Bool(false)) }
        #expect(fault.closeCode == 1002)
    }

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
    func `a close code that may be sent is told`(code: UInt16) {
        let frame = RawWebSocketFrame(0x88, [UInt8(code >> 8), UInt8(code & 0xff)])
        #expect(events(of: [frame]) == [.close(WebSocketClose(code: code))])
    }

    @Test func `the limit holds for a frame and for all fragments, by their heads`() {
        var whole = RawWebSocketFrame.text(String(repeating: "x", count: 1_000))
        #expect(events(of: [whole], limit: 1_000).first == .text(String(repeating: "x", count: 1_000)))
        #expect(failure(of: [whole], limit: 999) == 1009)
        whole.payload = []
        whole.length = 1_001
        #expect(failure(of: [whole], limit: 1_000) == 1009)
        let half = Array(repeating: UInt8(ascii: "x"), count: 500)
        #expect(failure(of: [.init(0x01, half), .init(0x00, half), .init(0x00, [1])], limit: 1_000) == 1009)
        #expect(failure(of: [.init(0x01, half), .init(0x80, half)], limit: 1_000) == nil)
    }

    @Test func `bytes that are no UTF-8 are told before the rest of the frame, or of the message, has come`() {
        var cut = RawWebSocketFrame(0x01, Array("κόσμε".utf8) + [0xf4, 0x90])
        #expect(failure(of: [cut]) == 1007)
        cut.length = 1_000
        #expect(failure(of: [cut]) == 1007)
        // a character may lie in two fragments, but has to end with the message
        let sign = Array("🙂".utf8)
        #expect(
            events(of: [.init(0x01, Array(sign[..<2])), .init(0x80, Array(sign[2...]))]).last == .text("🙂")
        )
        #expect(failure(of: [.init(0x01, Array(sign[..<2])), .init(0x80, Array(sign[2..<3]))]) == 1007)
        #expect(failure(of: [.init(0x82, [0xff])]) == nil)
    }

    private static let cases: [Case] = {
        var cases: [Case] = []
        func add(_ name: String, _ frames: RawWebSocketFrame..., closeCode: UInt16 = 1002) {
            cases.append(Case(name: name, bytes: frames.flatMap(\.bytes), closeCode: closeCode))
        }
        var frame = RawWebSocketFrame.text("hello")
        frame.mask = nil
        add("not masked", frame)
        for bits in 1...7 as ClosedRange<UInt8> { add("reserved bits \(bits)", .init(0x81 | bits << 4)) }
        for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8] { add("opcode \(opcode)", .init(0x80 | opcode)) }
        for opcode in [8, 9, 10] as [UInt8] {
            add("control frame \(opcode) in fragments", .init(opcode))
            add("control frame \(opcode) of 126 bytes", .init(0x80 | opcode, Array(repeating: 0, count: 126)))
        }
        add("continuation of nothing", .init(0x80))
        add("continuation of nothing, to be continued", .init(0x00))
        add("message in a message", .init(0x01), .text("hello"))
        add("continuation behind the last frame", .init(0x01), .init(0x80), .init(0x80))
        for (size, length) in [(2, 0), (2, 125), (8, 5), (8, 65_535)] {
            frame = RawWebSocketFrame(0x82, Array(repeating: 0, count: length))
            frame.lengthSize = size
            add("length \(length) in \(size) bytes", frame)
        }
        frame = RawWebSocketFrame(0x82)
        for length in [1 << 63, .max] as [UInt64] {
            frame.length = length
            add("length \(length)", frame)
        }
        for length in [1 << 62, 1 << 63 - 1, 1 << 31] as [UInt64] {
            frame.length = length
            add("length \(length)", frame, closeCode: 1009)
        }
        add("half a close code", .init(0x88, [3]))
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] as [UInt16] {
            add("close code \(code)", .init(0x88, [UInt8(code >> 8), UInt8(code & 0xff)]))
        }
        add("reason of a Close", .init(0x88, [0x03, 0xe8, 0xc3]), closeCode: 1007)
        add("text", .init(0x81, [0xce, 0xba, 0xed, 0xa0, 0x80]), closeCode: 1007)
        add("text that ends in a character", .init(0x81, [0xce]), closeCode: 1007)
        return cases
    }()
}

private func failure(of frames: [RawWebSocketFrame], limit: Int = 1 << 20) -> UInt16? {
    guard case .failure(let fault) = events(of: frames, limit: limit).last else { return nil }
    return fault.closeCode
}

private func events(of frames: [RawWebSocketFrame], limit: Int = 1 << 20) -> [WebSocketFramer.Event] {
    var framer = WebSocketFramer.make(.server, limit: limit)
    framer.append(ByteBuffer(bytes: frames.flatMap(\.bytes)))
    return framer.events()
}

extension WebSocketFramer {
    static func make(_ role: WebSocketRole, limit: Int = 1 << 20) -> WebSocketFramer {
        var limits = FrameLimits()
        limits.line = limit
        return WebSocketFramer(role: role, limits: limits)
    }

    mutating func events() -> [Event] {
        var events: [Event] = []
        while let event = self.next() { events.append(event) }
        return events
    }
}

extension WebSocketFramer.Event {
    static func text(_ text: String) -> WebSocketFramer.Event { .message(ByteBuffer(string: text), isText: true) }
}
