import NIOCore
import RoomModel
import RoomWire
import Testing

@testable import RoomDelivery

struct TextRequestTests {
    private static func request(_ line: String) -> TextRequest { TextRequest(TextLine(ByteBuffer(string: line))) }

    private static func isAdvice(_ request: TextRequest) -> Bool {
        if case .advise = request { true } else { false }
    }

    @Test func `a message comes back to its sender, any other line does not`() {
        #expect(Self.request("msg:hello") == .publish(ByteBuffer(string: #""hello""#), echoes: true))
        #expect(Self.request(#"say "hi""#) == .publish(ByteBuffer(string: #""say \"hi\"""#), echoes: false))
        #expect(Self.request("") == .nothing)
    }

    @Test(arguments: ["msg:", "msg:   ", "msg:\t\u{1b}", "  "])
    func `what has nothing to see in it says nothing`(line: String) {
        #expect(Self.request(line) == .nothing)
    }

    @Test(
        arguments: [
            ("help", .help), (" /HELP ", .help), ("?", .help), ("Quit", .quit), ("/quit", .quit), ("exit", .quit),
            ("/exit", .quit),
        ] as [(String, TextRequest)]
    )
    func `a word alone in its line is an order`(line: String, request: TextRequest) {
        #expect(Self.request(line) == request)
        #expect(Self.request("msg:\(line)") != request && Self.request("\(line) me") != request)
    }

    @Test(
        arguments: [
            "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        ]
    )
    func `nothing turns the direction of a text`(control: String) {
        let message = ByteBuffer(string: "\"ab\u{200f}\"")
        #expect(Self.request("msg:a\(control)b\u{200f}") == .publish(message, echoes: true))
        var line = ByteBuffer()
        TextLineWriter.message(ByteBuffer(string: "\"a\(control)b\""), from: .broker, into: &line)
        #expect(String(buffer: line).hasSuffix(": ab\n"))
    }

    @Test func `a name has one to 64 bytes`() {
        guard case .rename(let name, let data) = Self.request("iam:Han") else {
            Issue.record("no name")
            return
        }
        #expect(name == "Han")
        #expect(String(buffer: data).hasPrefix(##"{"name":"Han","color":"#"##))
        #expect(Self.request("IAM: Han") == Self.request("iam:Han"))
        #expect(Self.request("Msg:hello") == Self.request("msg:hello"))
        #expect(Self.isAdvice(Self.request("iam:")))
        #expect(Self.isAdvice(Self.request("iam:" + String(repeating: "x", count: 65))))
        #expect(!Self.isAdvice(Self.request("iam:" + String(repeating: "x", count: 64))))
    }

    @Test func `what cannot be asked so is explained`() {
        #expect(Self.isAdvice(Self.request(#"{"type":"ping"}"#)))
        #expect(Self.isAdvice(TextRequest(TextLine(ByteBuffer(bytes: [0xff, 0xfe])))))
    }
}
