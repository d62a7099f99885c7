import NIOCore
import RoomModel
import RoomWire
import Testing

/// What is wrong with a frame: the code, and a text that says what was wrong and what would be right.
@Suite struct FrameErrorTests {
    private static let noObject =
        "a frame is a JSON object and begins with {; for plain text, open another connection"

    @Test(arguments: [
        ("[]", Code.malformedJSON, noObject),
        ("\"hello\"", .malformedJSON, noObject),
        ("hello", .malformedJSON, noObject),
        (" hello", .malformedJSON, noObject),
        ("{hello", .malformedJSON, "malformed JSON at byte 2: expected a key in double quotes"),
        (#"{"type":"ping"}x"#, .malformedJSON, "malformed JSON at byte 16: expected the end after the value"),
        ("{}", .missingField, "\"type\" is missing, it has to be the name of a frame"),
        (#"{"type":null}"#, .missingField, "\"type\" is missing, it has to be the name of a frame"),
        (#"{"type":1}"#, .invalidField, "\"type\" has to be a string, not 1"),
        (#"{"type":"Ping"}"#, .unknownType, "unknown type \"Ping\""),
        (#"{"type":""}"#, .unknownType, "unknown type \"\""),
        (#"{"type":"ping","type":"ping"}"#, .duplicateField, "\"type\" is given twice; give it once"),
        (#"{"room":"a","r\u006fom":"a","type":"x"}"#, .duplicateField, "\"room\" is given twice; give it once"),
    ])
    func `frames as a whole`(text: String, code: Code, message: String) {
        #expect(throws: RequestError(code, message)) { try FrameDecoder.decode(text) }
    }

    @Test(arguments: [
        (#""1""#, "a string"), ("1.0", "1.0"), ("1e3", "1e3"), ("true", "true"), ("{}", "an object"),
        ("[]", "an array"),
        ("-9223372036854775809", "-9223372036854775809"),
    ])
    func `a callback has to be an integer`(callback: String, kind: String) {
        #expect(throws: RequestError(.invalidField, "\"callback\" has to be an integer, not \(kind)")) {
            try FrameDecoder.decode(#"{"type":"ping","callback":\#(callback)}"#)
        }
    }

    @Test func `a callback has to fit in 64 bits`() {
        let message = "\"callback\" has to be an integer of 9223372036854775807 at most, not 9223372036854775808"
        #expect(throws: RequestError(.invalidField, message)) {
            try FrameDecoder.decode(#"{"type":"ping","callback":9223372036854775808}"#)
        }
    }

    @Test(arguments: [
        (#""handshake""#, Code.missingField, "\"channel\" is missing, it has to be a string"),
        (#""handshake","channel":1"#, .invalidField, "\"channel\" has to be a string, not 1"),
        (
            #""handshake","channel":"\ud800""#, .invalidField,
            "\"channel\" has half of a surrogate pair in its escapes"
        ),
        (#""handshake","channel":"c","token":{}"#, .invalidField, "\"token\" has to be a string, not an object"),
        (
            #""handshake","channel":"c","resumable":"yes""#, .invalidField,
            "\"resumable\" has to be true or false, not a string"
        ),
        (#""handshake","channel":"c","resume":[]"#, .invalidField, "\"resume\" has to be a string, not an array"),
        (
            #""handshake","channel":"c","heartbeat":0"#, .invalidField,
            "\"heartbeat\" has to be an integer of 1 or more, not 0"
        ),
        (#""authenticate""#, .missingField, "\"token\" is missing, it has to be a string"),
        (#""authenticate","token":7"#, .invalidField, "\"token\" has to be a string, not 7"),
        (#""update""#, .missingField, "\"client_data\" is missing, it has to be a JSON value"),
        (#""members""#, .missingField, "\"room\" is missing, it has to be the name of a room"),
        (#""members","room":5"#, .invalidField, "\"room\" has to be a string, not 5"),
        (#""history","room":"r","limit":0"#, .invalidField, "\"limit\" has to be an integer of 1 or more, not 0"),
        (#""history","room":"r","limit":2.5"#, .invalidField, "\"limit\" has to be an integer of 1 or more, not 2.5"),
        (
            #""history","room":"r","before_seq":-1"#, .invalidField,
            "\"before_seq\" has to be an integer of 0 or more, not -1"
        ),
        (
            #""history","room":"r","before_seq":1,"after_seq":1"#, .invalidField,
            "give \"before_seq\" or \"after_seq\", not both"
        ),
    ])
    func `fields of a request`(fields: String, code: Code, message: String) {
        let isHandshake = fields.hasPrefix(#""handshake""#)
        #expect(throws: RequestError(code, message, callback: 1, isAboutHandshake: isHandshake)) {
            try FrameDecoder.decode(#"{"callback":1,"type":\#(fields)}"#)
        }
    }

    @Test(arguments: [
        ("", Code.missingField, "\"room\" is missing, it has to be the name of a room"),
        (#","room":"r","rooms":["s"]"#, .invalidField, "a frame has \"room\" or \"rooms\", not both"),
        (#","rooms":[]"#, .invalidField, "\"rooms\" must name at least one room"),
        (#","rooms":"r""#, .invalidField, "\"rooms\" has to be an array of room names, not a string"),
        (#","rooms":["r",null]"#, .invalidField, "\"rooms\" has to be an array of strings, not null"),
        (
            #","room":"r","history_count":"5""#, .invalidField,
            "\"history_count\" has to be an integer of 0 or more, not a string"
        ),
        (#","room":"r","history":-1"#, .invalidField, "\"history\" has to be an integer of 0 or more, not -1"),
        (
            #","room":"r","overflow":"grow""#, .invalidField,
            "\"overflow\" has to be one of \"disconnect\", \"drop_oldest\", \"latest\", not \"grow\""
        ),
        (#","room":"r","since":5"#, .invalidField, "\"since\" has to be an object of epoch and seq, not 5"),
        (#","room":"r","since":{"seq":5}"#, .invalidField, "\"since\" needs \"epoch\", the string of the last reply"),
        (#","room":"r","since":{"epoch":"e"}"#, .invalidField, "\"since\" needs \"seq\", an integer of 0 or more"),
        (
            #","room":"r","since":{"epoch":"e","seq":-5}"#, .invalidField,
            "\"since\" needs \"seq\", an integer of 0 or more"
        ),
        (
            #","rooms":["r"],"since":{"epoch":"e","seq":5}"#, .invalidField,
            "\"since\" belongs to one room: give \"room\" with it, not \"rooms\""
        ),
        (#","room":"r","presence":1"#, .invalidField, "\"presence\" has to be true or false, not 1"),
    ])
    func `fields of a subscribe`(fields: String, code: Code, message: String) {
        #expect(throws: RequestError(code, message, callback: 1)) {
            try FrameDecoder.decode(#"{"type":"subscribe","callback":1\#(fields)}"#)
        }
    }

    @Test(arguments: [
        (#","room":"r""#, Code.missingField, "\"message\" is missing, it has to be a JSON value"),
        (
            #","room":"r","message":1,"message_id":"7""#, .invalidField,
            "\"message_id\" has to be a UUID of 36 characters, not \"7\""
        ),
        (#","room":"r","message":1,"ephemeral":1"#, .invalidField, "\"ephemeral\" has to be true or false, not 1"),
        (
            #","room":"r","message":1,"echo":false"#, .invalidField,
            "\"echo\":false needs a \"callback\": the reply contains the seq"
        ),
    ])
    func `fields of a publish`(fields: String, code: Code, message: String) {
        #expect(throws: RequestError(code, message, room: .r)) {
            try FrameDecoder.decode(#"{"type":"publish"\#(fields)}"#)
        }
    }

    @Test(arguments: [
        (#""""#, "a room name cannot be empty"), (#""a\u0000""#, "a room name cannot have control characters"),
        (#""\n""#, "a room name cannot have control characters"),
        ("\"\u{7f}\"", "a room name cannot have control characters"),
        ("\"a\u{80}b\"", "a room name cannot have control characters"),
        ("\"\u{9f}\"", "a room name cannot have control characters"),
        (#""\u0085""#, "a room name cannot have control characters"),
        (#""\udc00\ud800""#, "a room name cannot have half of a surrogate pair"),
        (#""\ud800""#, "a room name cannot have half of a surrogate pair"),
        ("\"" + String(repeating: "é", count: 101) + "\"", "a room name can have at most 200 bytes of UTF-8, not 202"),
    ])
    func `names that no room can have`(name: String, message: String) {
        #expect(throws: RequestError(.roomNameInvalid, message, callback: 1)) {
            try FrameDecoder.decode(#"{"type":"members","room":\#(name),"callback":1}"#)
        }
    }
}

/// Sizes at their limits and one over them.
@Suite struct FrameSizeTests {
    private let decoder: FrameDecoder = {
        var limits = FrameLimits()
        (limits.roomsPerFrame, limits.nesting) = (2, 4)
        return FrameDecoder(limits: limits)
    }()

    @Test func `the rooms of a frame`() throws {
        _ = try self.decoder.decode(#"{"type":"subscribe","rooms":["a","b"]}"#)
        #expect(throws: RequestError(.invalidField, "\"rooms\" can have at most 2 names")) {
            try self.decoder.decode(#"{"type":"subscribe","rooms":["a","b","c"]}"#)
        }
    }

    @Test func `levels of nesting, that of the frame included`() throws {
        _ = try self.decoder.decode(#"{"type":"ping","x":[[[]]]}"#)
        #expect(throws: RequestError(.nestingTooDeep, "more than 4 levels of nesting at byte 23")) {
            try self.decoder.decode(#"{"type":"ping","x":[[[[]]]]}"#)
        }
    }
}

/// An error names the request that it is about, wherever in the frame the names stand.
@Suite struct ErrorNamingTests {
    @Test(arguments: [
        #"{"type":"nothing","callback":-7}"#, #"{"callback":-7}"#, #"{"room":5,"type":"members","callback":-7}"#,
        #"{"room":"a","room":"b","type":"members","callback":-7}"#, #"{"type":"ping","type":"ping","callback":-7}"#,
        #"{"type":[],"callback":-7}"#,
        #"{"x":\#(String(repeating: "[", count: 99))"#
            + #"\#(String(repeating: "]", count: 99)),"type":"ping","callback":-7}"#,
        #"{"type":"subscribe","history_count":"x","c\u0061llback":-7,"room":"r"}"#,
        #"{"type":"handshake","callback":-7}"#,
    ])
    func `the callback comes with the error`(text: String) {
        let error = #expect(throws: RequestError.self) { try FrameDecoder.decode(text) }
        #expect(error?.callback == -7)
    }

    @Test func `the callback comes with invalid UTF-8`() {
        let bytes = Array(#"{"x":""#.utf8) + [0xff] + Array(#"","type":"ping","callback":3}"#.utf8)
        #expect(throws: RequestError(.invalidUTF8, "invalid UTF-8 at byte 7", callback: 3)) {
            try FrameDecoder(limits: FrameLimits()).decode(ByteBuffer(bytes: bytes))
        }
    }

    @Test func `a callback that stands twice is not chosen from`() {
        #expect(throws: RequestError(.duplicateField, "\"callback\" is given twice; give it once")) {
            try FrameDecoder.decode(#"{"type":"ping","callback":1,"callback":2}"#)
        }
    }

    @Test(arguments: [
        #"{"type":"publish","room":"r","message_id":"00000000-0000-0000-0000-000000000001"}"#,
        #"{"message_id":"00000000-0000-0000-0000-000000000001","ephemeral":true,"room":"r","type":"publish","message":1}"#,
        #"{"type":"publish","echo":3,"message":1,"message_id":"00000000-0000-0000-0000-000000000001","room":"r"}"#,
    ])
    func `the error about a publish names its room and message id`(text: String) {
        let error = #expect(throws: RequestError.self) { try FrameDecoder.decode(text) }
        #expect(error?.room == .r)
        #expect(error?.messageID == UniqueID(high: 0, low: 1))
    }

    @Test(arguments: [
        #"{"type":"publish","room":"\#(String(repeating: "r", count: 201))","message":1,"message_id":5}"#,
        #"{"type":"publish","room":7,"message":1,"message_id":"x"}"#, #"{"type":"publish","message":1}"#,
    ])
    func `what cannot be read is not named`(text: String) {
        let error = #expect(throws: RequestError.self) { try FrameDecoder.decode(text) }
        #expect(error?.room == nil)
        #expect(error?.messageID == nil)
    }

    @Test func `an error text holds little of what the client sent, and nothing that controls a terminal`() {
        let long = String(repeating: "x", count: 5_000)
        #expect(throws: RequestError(.unknownType, "unknown type \"" + String(repeating: "x", count: 40) + "…\"")) {
            try FrameDecoder.decode(#"{"type":"\#(long)"}"#)
        }
        #expect(throws: RequestError(.unknownType, "unknown type \"a[31mb\"")) {
            try FrameDecoder.decode(#"{"type":"a\u001b[31m\u2028\u202e\u0085\nb"}"#)
        }
        let digits = String(repeating: "9", count: 5_000)
        let error = #expect(throws: RequestError.self) { try FrameDecoder.decode(#"{"type":\#(digits)}"#) }
        #expect(error.map { $0.text.utf8.count < 100 } == true)
    }
}

extension FrameDecoder {
    fileprivate func decode(_ text: String) throws(RequestError) -> ClientFrame {
        try self.decode(ByteBuffer(string: text))
    }
}
