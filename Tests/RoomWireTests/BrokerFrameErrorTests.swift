import NIOCore
import RoomModel
import Testing

@testable import RoomWire

/// What is wrong with a frame of the broker's: which field, of which frame.
@Suite struct BrokerFrameErrorTests {
    @Test(arguments: [
        ("", Code.malformedJSON, "malformed JSON at the end, after 0 bytes: expected a value"),
        ("hello", .malformedJSON, "malformed JSON at byte 1: expected a value"),
        (#"{"type":"ping"}x"#, .malformedJSON, "malformed JSON at byte 16: expected the end after the value"),
        (#"{"type":"ping",}"#, .malformedJSON, "malformed JSON at byte 16: expected a key in double quotes"),
        (#"{"type":"ping","type":"pong"}"#, .duplicateField, "frame: \"type\" stands twice"),
        ("{}", .missingField, #"frame: it needs a "type", a "callback" or an "error""#),
        ("[1]", .missingField, #"frame: it needs a "type", a "callback" or an "error""#),
        (#"{"type":null,"callback":null}"#, .missingField, #"frame: it needs a "type", a "callback" or an "error""#),
        (#"{"type":7}"#, .invalidField, #"frame: "type" has to be a string, not 7"#),
        (#"{"callback":1.0}"#, .invalidField, #"frame: "callback" has to be an integer, not 1.0"#),
        (#"{"callback":1,"error":{}}"#, .invalidField, #"reply: "error" has to be a string, not an object"#),
        (#"{"callback":1,"seq":-1}"#, .invalidField, #"reply: "seq" has to be an integer of 0 or more, not -1"#),
        (#"{"error":"e","code":1}"#, .invalidField, #"error: "code" has to be a string, not 1"#),
    ])
    func `frames as a whole`(text: String, code: Code, message: String) {
        #expect(throws: BrokerFrameError(code, message)) { try BrokerFrameDecoder.decode(text) }
    }

    @Test(arguments: [
        ("publish", ["room", "id", "sender", "message"]), ("history_message", ["room", "id", "sender", "message"]),
        ("observable_members", ["room", "data"]), ("observable_member_join", ["room", "data"]),
        ("observable_member_leave", ["room", "data"]), ("observable_member_update", ["room", "data"]),
        ("gap", ["room", "epoch", "from_seq", "to_seq", "reason"]), ("removed", ["room", "reason"]),
        ("goodbye", ["code", "reason", "reconnect"]),
    ])
    func `a field that is missing or null is named`(type: String, fields: [String]) {
        for field in fields {
            let absent = Self.error(type, leavingOut: field, "")
            #expect(absent?.text.hasPrefix("\(type): \"\(field)\" is missing, it has to be ") == true)
            #expect(absent?.code == .missingField)
            // A message may be null.
            if field != "message" { #expect(Self.error(type, leavingOut: field, #","\#(field)":null"#) == absent) }
        }
    }

    @Test(arguments: [
        ("publish", "room", "7", "a string, not 7"), ("publish", "id", "[]", "a string, not an array"),
        ("publish", "id", #""7""#, #"a UUID of 36 characters, not "7""#),
        ("publish", "seq", "1e3", "an integer of 0 or more, not 1e3"),
        (
            "publish", "seq", "9223372036854775808",
            "an integer of 9223372036854775807 at most, not 9223372036854775808"
        ),
        ("publish", "sender", #""Luke""#, "an object, not a string"),
        ("history_message", "sender", "[]", "an object, not an array"),
        ("observable_members", "data", "{}", "an array of objects, not an object"),
        ("observable_members", "data", "[{},7]", "an array of objects, not 7"),
        ("observable_members", "count", "-1", "an integer of 0 or more, not -1"),
        ("observable_member_join", "data", "[]", "an object, not an array"),
        ("gap", "epoch", "1", "a string, not 1"), ("gap", "from_seq", #""1""#, "an integer of 0 or more, not a string"),
        ("gap", "to_seq", "true", "an integer of 0 or more, not true"),
        ("gap", "reason", "{}", "a string, not an object"),
        ("goodbye", "code", "1", "a string, not 1"), ("goodbye", "reconnect", "1", "true or false, not 1"),
        ("goodbye", "retry_after_ms", "0.5", "an integer of 0 or more, not 0.5"),
    ])
    func `a field of a wrong type is named`(type: String, field: String, value: String, fault: String) {
        let error = Self.error(type, leavingOut: field, #","\#(field)":\#(value)"#)
        #expect(error == BrokerFrameError(.invalidField, "\(type): \"\(field)\" has to be \(fault)"))
    }

    @Test func `half of a surrogate pair is not a room name`() {
        let error = BrokerFrameError(.invalidField, #"gap: "room" has half of a surrogate pair in its escapes"#)
        #expect(Self.error("gap", leavingOut: "room", #","room":"\ud800""#) == error)
    }

    @Test func `too deep nesting and bad UTF-8 are refused`() throws {
        let brackets = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let error = BrokerFrameError(.nestingTooDeep, "more than 512 levels of nesting at byte 531")
        #expect(throws: error) { try BrokerFrameDecoder.decode(#"{"type":"ping","x":\#(brackets)}"#) }
        #expect(try BrokerFrameDecoder.decode(#"{"type":"ping","x":\#(brackets.dropFirst().dropLast())}"#) == .ping)

        let line = ByteBuffer(bytes: Array(#"{"type":"ping","x":""#.utf8) + [0xff] + Array(#""}"#.utf8))
        #expect(throws: BrokerFrameError(.invalidUTF8, "invalid UTF-8 at byte 21")) {
            try BrokerFrameDecoder().decode(line)
        }
    }

    private static let fields = [
        "publish": ["room": #""r""#, "id": id, "sender": "{}", "message": "1"],
        "history_message": ["room": #""r""#, "id": id, "sender": "{}", "message": "1"],
        "observable_members": ["room": #""r""#, "data": "[]"],
        "observable_member_join": ["room": #""r""#, "data": "{}"],
        "observable_member_leave": ["room": #""r""#, "data": "{}"],
        "observable_member_update": ["room": #""r""#, "data": "{}"],
        "gap": ["room": #""r""#, "epoch": #""e""#, "from_seq": "1", "to_seq": "2", "reason": #""slow""#],
        "removed": ["room": #""r""#, "reason": #""so""#],
        "goodbye": ["code": #""c""#, "reason": #""r""#, "reconnect": "true"],
    ]
    private static let id = #""019aa3c5-7b00-7004-8f21-6c0d5e4b3a04""#

    /// The error about an otherwise good frame that has `other` in place of one field.
    private static func error(_ type: String, leavingOut field: String, _ other: String) -> BrokerFrameError? {
        let fields = (Self.fields[type] ?? [:]).filter { $0.key != field }.map { #","\#($0.key)":\#($0.value)"# }
        do throws(BrokerFrameError) {
            _ = try BrokerFrameDecoder.decode(#"{"type":"\#(type)"\#(fields.joined())\#(other)}"#)
            return nil
        } catch {
            return error
        }
    }
}
