import NIOCore
import RoomJSON
import RoomModel
import RoomWire

/// Lines of plain-text clients, and what others see of them: nothing forges a line, a terminal escape or another's name.
enum TextLinesFuzz: FuzzTarget {
    static let name = "text-lines"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let line = TextLine(bytes.buffer)
        switch line {
        case .name(let name):
            try demand(name.isOneSafeLine, "a name with control characters")
            try demand(TextLine(ByteBuffer(string: "iam:\(name)")) == line, "the name \(name) is another one again")
            try self.checkSender(named: name)
        case .message(let text), .other(let text): try demand(text.isOneSafeLine, "a text with control characters")
        case .help, .quit, .json, .blank: break
        case .invalidUTF8: try demand(!bytes.text.utf8.elementsEqual(bytes), "this is UTF-8")
        }
        try self.checkSender(named: bytes.text)
        try self.checkLine { TextLineWriter.joined(bytes.text, into: &$0) }
        try self.checkLine { TextLineWriter.note(bytes.text, into: &$0) }
    }

    private static func checkSender(named name: String) throws {
        var data = ByteBuffer(string: "{\"name\":")
        data.writeJSONString(name)
        data.writeString("}")
        let sender = Sender.member(ClientID("c1"), clientData: data)
        var text = ByteBuffer()
        text.writeJSONString(name)
        let line = try self.checkLine { TextLineWriter.message(text, from: sender, into: &$0) }
        guard let shown = TextLineWriter.name(of: sender) else {
            return try demand(line.utf8.starts(with: "?: ".utf8), "who has no name is shown as \(line)")
        }
        try self.checkName(shown)
        try demand(line.utf8.starts(with: "\(shown): ".utf8), "\(shown) is shown as \(line)")
    }

    /// A name as it is shown: it looks like no line of the broker's, and like that of nobody without a name.
    static func checkName(_ name: String) throws {
        let scalars = Array(name.unicodeScalars)
        try demand(name.isOneSafeLine, "a name with control characters")
        try demand(!scalars.isEmpty && !" ?*".unicodeScalars.contains(scalars[0]), "the name \(name.shown)")
        try demand(scalars.last != " " && !scalars.contains(":"), "the name \(name.shown)")
    }

    /// What is written is one line of UTF-8.
    @discardableResult
    static func checkLine(_ write: (inout ByteBuffer) -> Void) throws -> String {
        var line = ByteBuffer()
        write(&line)
        guard let text = String(validating: line.readableBytesView, as: UTF8.self), text.unicodeScalars.last == "\n"
        else {
            throw BrokenInvariant(description: "a line that is not UTF-8, or has no end")
        }
        let content = String(text.unicodeScalars.dropLast())
        try demand(content.isOneSafeLine, "a line with control characters: \(content.shown)")
        return content
    }
}
