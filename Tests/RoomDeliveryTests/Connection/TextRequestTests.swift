import NIOCore
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

    @Test func `a name has one to 64 bytes`() {
        guard case .rename(let name, let data) = Self.request("iam:Han") else {
            Issue.record("no name")
            return
        }
        #expect(name == "Han")
        #expect(String(buffer: data).hasPrefix(##"{"name":"Han","color":"#"##))
        #expect(Self.isAdvice(Self.request("iam:")))
        #expect(Self.isAdvice(Self.request("iam:" + String(repeating: "x", count: 65))))
        #expect(!Self.isAdvice(Self.request("iam:" + String(repeating: "x", count: 64))))
    }

    @Test func `what cannot be asked so is explained`() {
        #expect(Self.isAdvice(Self.request(#"{"type":"ping"}"#)))
        #expect(Self.isAdvice(TextRequest(TextLine(ByteBuffer(bytes: [0xff, 0xfe])))))
    }
}
