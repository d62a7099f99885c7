import NIOCore
import RoomJSON
import RoomModel
import Testing

@Suite struct JSONTreeTests {
    @Test(arguments: [
        #"{"a":1,"b":[true,false,null],"c":{"d":"e"}}"#, "[]", "{}", #""x""#, "-1.50e3", "12345678901234567890", "null",
        #"[[],[{}],{"":[1,2]}]"#,
    ])
    func `what is read is written as it was`(text: String) throws {
        #expect(try JSONTree.read(ByteBuffer(string: text)).text == text)
    }

    @Test func `fields keep their order and are found by name`() throws {
        let tree = try JSONTree.read(ByteBuffer(string: #" { "b" : 1 , "\u0061" : "\n\ud83d\ude00" } "#))
        #expect(tree == .object([.init("b", .number("1")), .init("a", .string("\n😀"))]))
        #expect(tree["a"] == .string("\n😀"))
        #expect(tree["c"] == nil)
        #expect(JSONTree.array([])["a"] == nil)
    }

    @Test(arguments: [
        ("", Code.malformedJSON), ("{", .malformedJSON), ("{} {}", .malformedJSON),
        (#"{"a":1,"\u0061":2}"#, .duplicateField),
        (#"{"a":{"b":1,"b":1}}"#, .duplicateField), (#"["\ud800"]"#, .invalidField), (#"{"\udc00":1}"#, .invalidField),
        (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), .nestingTooDeep),
    ])
    func `what is none is refused`(text: String, code: Code) {
        #expect(throws: RequestError.self) { try JSONTree.read(ByteBuffer(string: text)) }
        do {
            _ = try JSONTree.read(ByteBuffer(string: text))
        } catch {
            #expect(error.code == code)
        }
    }

    @Test func `a value that was checked elsewhere is passed on`() {
        let tree = JSONTree.object([.init("a", .verbatim(ByteBuffer(string: "{ \"x\":1.0 }")))])
        #expect(tree.text == #"{"a":{ "x":1.0 }}"#)
    }

    @Test func `in an error a text is short, on one line, and shows what nobody would see`() {
        #expect("lobby".shown == #""lobby""#)
        #expect("a\n\u{7f}b\u{9b}2J\u{202e}\u{2028}".shown == #""a\n\u007fb\u009b2J\u202e\u2028""#)
        #expect("\u{e0041}".shown == #""\udb40\udc41""#)
        #expect(String(repeating: "x", count: 78).shown.count == 80)
        #expect(String(repeating: "x", count: 79).shown == #""\#(String(repeating: "x", count: 79))…"#)
        #expect(("e" + String(repeating: "\u{301}", count: 1_000)).shown.unicodeScalars.count == 81)
    }
}
