import NIOCore
import Testing

@testable import RoomWire

/// Random streams of frames, good and bad, in random pieces, against a model that reads the whole stream at once.
@Suite struct WebSocketSplitTests {
    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `any split gives the same events as the model`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let frames = Self.stream(using: &random)
        let bytes = frames.flatMap(\.bytes)
        let expected = Self.model(frames)
        #expect(Self.events(of: [bytes[...]]) == expected, "seed \(seed), whole")
        #expect(Self.events(of: bytes.split(using: &random)) == expected, "seed \(seed), in pieces")
        #expect(Self.events(of: bytes.map { [$0][...] }) == expected, "seed \(seed), byte by byte")
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `damaged streams end, and never give more than they have`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes = Self.stream(using: &random).flatMap(\.bytes)
        for _ in 0..<3 where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
        }
        let events = Self.events(of: bytes.split(using: &random))
        let given = events.reduce(0) { sum, event in
            if case .message(let message, _) = event { sum + message.readableBytes } else { sum }
        }
        #expect(given <= bytes.count, "seed \(seed)")
        #expect(events == Self.events(of: [bytes[...]]), "seed \(seed)")
    }

    /// Valid frames, the last of which may break a rule.
    private static func stream(using random: inout SeededRandom) -> [RawWebSocketFrame] {
        var frames: [RawWebSocketFrame] = []
        var isOpen = false
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: frames.append(.init(0x89, Self.payload(upTo: 125, using: &random)))
            case 1: frames.append(.init(0x8a))
            default:
                let isFinal = Bool.random(using: &random)
                let opcode: UInt8 = isOpen ? 0 : Bool.random(using: &random) ? 1 : 2
                isOpen = !isFinal
                frames.append(.init(opcode | (isFinal ? 0x80 : 0), Self.payload(upTo: 300, using: &random)))
            }
            let mask = random.next()
            frames[frames.count - 1].mask = (0..<4).map { UInt8(mask >> (8 * $0) & 0xff) }
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: frames.append(.init(0x88, [0x0f, 0xa0] + Array("ü".utf8)))
        case 1: frames.append(.init(0xc1))
        case 2: frames.append(.init(isOpen ? 0x81 : 0x80))
        default: break
        }
        return frames
    }

    /// UTF-8 that may be cut inside a character.
    private static func payload(upTo most: Int, using random: inout SeededRandom) -> [UInt8] {
        let text = String(repeating: ["a", "hello, ", "é", "€", "🙂"].randomElement(using: &random) ?? "", count: 80)
        let bytes = Array(text.utf8.prefix(Int.random(in: 0...most, using: &random)))
        return Int.random(in: 0..<3, using: &random) == 0
            ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8.prefix(most))
    }

    /// A message is judged as text when it is whole; that is earlier in the framer, which says nothing more either way.
    private static func model(_ frames: [RawWebSocketFrame]) -> [WebSocketFramer.Event] {
        var events: [WebSocketFramer.Event] = []
        var message: (isText: Bool, bytes: [UInt8])?
        for frame in frames {
            let payload = ByteBuffer(bytes: frame.payload)
            switch frame.first & 0x7f {
            case 9: events.append(.ping(payload))
            case 10: events.append(.pong)
            case 8: return events + [.close(WebSocketClose(code: 4000, reason: "ü"))]
            case 0x41:
                return events + [.failure(.expected(1002, "a reserved bit is set, and no extension was agreed"))]
            case let opcode:
                if (opcode == 0) == (message == nil) {
                    let text =
                        opcode == 0
                        ? "a continuation frame without a message that it continues"
                        : "a new message before the last frame of the one that has begun"
                    return events + [.failure(.expected(1002, text))]
                }
                let bytes = (message?.bytes ?? []) + frame.payload
                let isText = message?.isText ?? (opcode == 1)
                let isFinal = frame.first & 0x80 != 0
                if isText, !Self.isUTF8(bytes, mayBeCut: !isFinal) {
                    return events + [.failure(.expected(1007, "a text message has to be UTF-8"))]
                }
                message = isFinal ? nil : (isText, bytes)
                events.append(
                    isFinal
                        ? .message(ByteBuffer(bytes: bytes), isText: isText) : .fragment(bytes: frame.payload.count)
                )
            }
        }
        return events
    }

    private static func isUTF8(_ bytes: [UInt8], mayBeCut: Bool) -> Bool {
        (mayBeCut ? [[], [0xbf], [0xbf, 0xbf], [0xbf, 0xbf, 0xbf]] : [[]] as [[UInt8]])
            .contains { String(validating: bytes + $0, as: UTF8.self) != nil }
    }

    private static func events(of pieces: [ArraySlice<UInt8>]) -> [WebSocketFramer.Event] {
        var framer = WebSocketFramer.make(.server)
        return pieces.flatMap { piece in
            framer.append(ByteBuffer(bytes: piece))
            return framer.events()
        }
    }
}

extension WebSocketFault {
    fileprivate static func expected(_ closeCode: UInt16, _ text: String) -> WebSocketFault {
        WebSocketFault(closeCode: closeCode, text: text)
    }
}

@Suite struct WebSocketWriterTests {
    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func `a written frame is read again, masked and not masked`(length: Int) {
        let text = String(repeating: "x", count: length)
        for mask in [nil, WebSocketMask(key: 0xdead_beef)] {
            var bytes = ByteBuffer(string: "before")
            bytes.moveReaderIndex(to: 6)
            WebSocketFrameWriter.write(.text, mask: mask, into: &bytes) { $0.writeString(text) }
            let head = WebSocketFrameWriter.headSize(payload: length) + (mask == nil ? 0 : 4)
            #expect(bytes.readableBytes == head + length)
            if mask == nil {
                #expect(WebSocketFrameWriter.end(ofFrameAt: 6, in: bytes) == bytes.writerIndex)
                var expected = ByteBuffer()
                WebSocketFrameWriter.writeHead(.text, payload: length, into: &expected)
                expected.writeString(text)
                #expect(bytes == expected)
            }
            var framer = WebSocketFramer.make(mask == nil ? .client : .server)
            framer.append(bytes)
            #expect(framer.events() == [.text(text)])
        }
    }

    @Test func `a long reason of a Close ends behind a character that fits`() {
        var payload = ByteBuffer()
        WebSocketClose(code: 4504, reason: String(repeating: "€", count: 60)).write(into: &payload)
        #expect(payload.readableBytes == 2 + 41 * 3)
        #expect(payload.getString(at: 2, length: 123) == String(repeating: "€", count: 41))
        payload.clear()
        WebSocketClose(code: nil, reason: "not sent").write(into: &payload)
        #expect(payload.readableBytes == 0)
    }
}
