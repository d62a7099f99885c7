import NIOCore
import RoomJSON
import RoomModel
import RoomWire
import Testing

/// How the senders of messages are shown to plain-text clients.
@Suite struct TextLineWriterTests {
    private static func sender(_ name: String) -> Sender {
        var data = ByteBuffer(string: "{\"name\":")
        data.writeJSONString(name)
        data.writeString("}")
        return .member(ClientID("c1"), clientData: data)
    }

    @Test(arguments: [
        ("Han", "Han"), ("Han: send me your money", "Han  send me your money"), ("*Han", "Han"), ("? *Han", "Han"),
        (":* you are muted", "you are muted"), (":?", nil), (":", nil), ("Han:", "Han"), (": :Han", "Han"),
        // it makes one character with the blank behind it
        ("\u{0d4e} ", "\u{0d4e}"), ("", nil), ("\u{200b}", nil),
    ])
    func `no name looks like a line of the broker's, or like no name`(_ given: String, _ shown: String?) {
        #expect(TextLineWriter.name(of: Self.sender(given)) == shown)
        var line = ByteBuffer()
        TextLineWriter.message(ByteBuffer(string: "\"hello\""), from: Self.sender(given), into: &line)
        #expect(String(buffer: line) == "\(shown ?? "?"): hello\n")
    }
}
