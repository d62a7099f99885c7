import NIOCore
import RoomModel
import RoomWire
import Testing

/// Which texts are JSON (RFC 8259), by the categories of JSONTestSuite: what every parser has to accept or refuse, and
/// what it is free to choose. Where we are free we chose:
///
/// | case                                                   | choice             |
/// |--------------------------------------------------------|--------------------|
/// | numbers beyond any type: `1e400`, `-1e-400`, 60 digits  | accepted, untouched |
/// | escapes that are half of a surrogate pair              | accepted in values |
/// | U+FFFE, U+FFFF and other noncharacters                 | accepted           |
/// | invalid UTF-8: overlong, surrogates, cut off, > U+10FFFF | `invalid_utf8`     |
/// | UTF-16                                                 | refused            |
/// | a byte order mark before the value                     | refused; the transport takes it off a connection's start |
/// | more levels of nesting than the limit                  | `nesting_too_deep` |
@Suite struct JSONScannerTests {
    @Test(arguments: JSONTexts.valid + JSONTexts.validByChoice)
    func `valid JSON passes untouched`(text: String) throws {
        #expect(try Self.value(text) == text)
    }

    @Test(arguments: JSONTexts.invalid)
    func `what is not JSON is refused`(text: String) {
        #expect(throws: RequestError.self) { try Self.value(text) }
        #expect(Self.code(of: Array(text.utf8)) == .malformedJSON)
    }

    @Test(arguments: JSONTexts.invalidUTF8)
    func `invalid UTF-8 is named so`(bytes: [UInt8]) {
        #expect(Self.code(of: [0x22] + bytes + [0x22]) == .invalidUTF8)
        #expect(Self.code(of: Array("[\"abcdefgh".utf8) + bytes + Array("ijklmnop\"]".utf8)) == .invalidUTF8)
        #expect(Self.code(of: bytes) == .invalidUTF8)
    }

    @Test(arguments: JSONTexts.valid)
    func `no beginning of a container is JSON`(text: String) {
        guard text.hasPrefix("{") || text.hasPrefix("[") || text.hasPrefix("\"") else { return }
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count where Self.code(of: Array(bytes[..<count])) == nil {
            Issue.record("accepted \(count) bytes of \(text)")
        }
    }

    @Test(arguments: JSONTexts.valid + JSONTexts.invalid)
    func `the place in the buffer makes no difference`(text: String) {
        let expected = Self.code(of: Array(text.utf8))
        for shift in 0..<9 {
            var buffer = ByteBuffer(string: String(repeating: "\"", count: shift) + text + "\"}],")
            buffer.moveReaderIndex(forwardBy: shift)
            buffer.moveWriterIndex(to: buffer.writerIndex - 4)
            #expect(Self.code(of: buffer) == expected, "shifted by \(shift)")
        }
    }

    @Test func `every byte that ends plain text is found at every place`() {
        for stop in [0x00, 0x1f, 0x0a, 0x22, 0x5c, 0x7f, 0x80, 0xff] as [UInt8] {
            for place in 0..<24 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 24)
                bytes[place] = stop
                let code = Self.code(of: [0x22] + bytes + [0x22])
                let expected: Code? =
                    switch stop {
                    case 0x7f: nil
                    case 0x80...: .invalidUTF8
                    default: .malformedJSON
                    }
                #expect(code == expected, "byte \(stop) at \(place)")
            }
        }
    }

    @Test func `line breaks between tokens become spaces, escaped ones stay`() throws {
        #expect(try Self.value("\r\n {\r\n\"a\" :\n\"\\r\\n\"\r}\n") == "{  \"a\" : \"\\r\\n\" }")
    }

    @Test(arguments: [
        ("{\"a\" 1}", "malformed JSON at byte 6: expected ':' after the key"),
        ("{\"a\":1", "malformed JSON at the end, after 6 bytes: expected ',' or '}'"),
        ("[1 2]", "malformed JSON at byte 4: expected ',' or ']'"),
        ("{a:1}", "malformed JSON at byte 2: expected a key in double quotes"),
        ("[\"\\x\"]", "malformed JSON at byte 4: expected one of \" \\ / b f n r t u after a backslash"),
        ("tru", "malformed JSON at byte 1: expected a value"),
        ("\"abc", "malformed JSON at the end, after 4 bytes: expected the closing quote of a string"),
        ("1 2", "malformed JSON at byte 3: expected the end after the value"),
        ("[-]", "malformed JSON at byte 3: expected a digit after '-'"),
        ("", "malformed JSON at the end, after 0 bytes: expected a value"),
    ])
    func `an error says at which byte and what was expected`(text: String, message: String) {
        #expect(throws: RequestError(.malformedJSON, message)) { try Self.value(text) }
    }

    private static func value(_ text: String) throws -> String {
        String(buffer: try FrameDecoder(limits: FrameLimits()).value(ByteBuffer(string: text)))
    }

    private static func code(of bytes: [UInt8]) -> Code? { Self.code(of: ByteBuffer(bytes: bytes)) }

    private static func code(of buffer: ByteBuffer) -> Code? {
        do throws(RequestError) {
            _ = try FrameDecoder(limits: FrameLimits()).value(buffer)
            return nil
        } catch {
            return error.code
        }
    }
}

/// The limit of nesting counts objects and arrays that are open at once.
@Suite struct JSONNestingTests {
    @Test func `the limit itself passes, one more is too deep`() throws {
        var limits = FrameLimits()
        limits.nesting = 3
        let decoder = FrameDecoder(limits: limits)
        _ = try decoder.value(ByteBuffer(string: "[[{}],[[]]]"))
        #expect(throws: RequestError(.nestingTooDeep, "more than 3 levels of nesting at byte 7")) {
            try decoder.value(ByteBuffer(string: "[[{\"\":[]}]]"))
        }
    }

    @Test(arguments: [63, 64, 65, 127, 128, 129, 1_000])
    func `brackets have to match at any depth`(depth: Int) throws {
        var limits = FrameLimits()
        limits.nesting = .max
        let decoder = FrameDecoder(limits: limits)
        let pairs = (0..<depth).map { $0 % 3 == 0 ? ("{\"\":", "}") : ("[", "]") }
        let open = pairs.map(\.0).joined()
        let close = pairs.map(\.1).reversed().joined()
        _ = try decoder.value(ByteBuffer(string: open + "1" + close))
        #expect(throws: RequestError.self) { try decoder.value(ByteBuffer(string: open + "1" + close.dropLast())) }
        var wrong = Array(close)
        wrong[depth / 2] = wrong[depth / 2] == "]" ? "}" : "]"
        #expect(throws: RequestError.self) { try decoder.value(ByteBuffer(string: open + "1" + String(wrong))) }
    }

    @Test func `a bomb of brackets is refused for its depth`() {
        let bomb = ByteBuffer(repeating: UInt8(ascii: "["), count: 1_000_000)
        let error = #expect(throws: RequestError.self) { try FrameDecoder(limits: FrameLimits()).value(bomb) }
        #expect(error?.code == .nestingTooDeep)
    }
}
