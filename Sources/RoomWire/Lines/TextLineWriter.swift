package import NIOCore
import RoomJSON
package import RoomModel

/// Writes the events of a room as lines for plain-text clients (protocol §4).
///
/// Control characters and line separators of names and texts become spaces, and bidirectional controls are dropped: nobody can
/// forge a line or a terminal escape.
package enum TextLineWriter {
    package static func joined(_ name: String, into buffer: inout ByteBuffer) {
        self.write("\(name) has joined", into: &buffer)
    }

    /// `NAME: TEXT`, or `?: TEXT` of a sender without a name. A message that is not a string is its JSON.
    package static func message(_ message: ByteBuffer, from sender: Sender, into buffer: inout ByteBuffer) {
        self.message(message, fromMember: sender.json, into: &buffer)
    }

    /// The same of a message as the store keeps it: the tail of its `publish` frame (`PublishWriter`).
    package static func stored(_ tail: ByteBuffer, into buffer: inout ByteBuffer) {
        var frame = ByteBuffer(string: "{")
        frame.writeImmutableBuffer(tail)
        guard let sender = JSONFields.range(of: "sender", in: frame).flatMap({ frame.slice(at: $0) }),
            let message = JSONFields.range(of: "message", in: frame).flatMap({ frame.slice(at: $0) })
        else { return }
        self.message(message, fromMember: sender, into: &buffer)
    }

    private static func message(_ message: ByteBuffer, fromMember member: ByteBuffer, into buffer: inout ByteBuffer) {
        let text = self.string(message) ?? String(buffer: message)
        self.write("\(self.name(ofMember: member) ?? Self.nameless): \(text)", into: &buffer)
    }

    /// In the place of a name. No name begins with it, nor with the `*` of the broker's own lines.
    private static let nameless = "?"

    /// `* TEXT`: a line of the broker's own, such as an error.
    package static func note(_ text: String, into buffer: inout ByteBuffer) {
        self.write("* \(text)", into: &buffer)
    }

    package static func notice(_ notice: Notice, into buffer: inout ByteBuffer) {
        self.note(notice.text, into: &buffer)
    }

    /// The `name` in the member data, where it has one: as it is shown, so that it cannot look like something else.
    package static func name(of sender: Sender) -> String? { self.name(ofMember: sender.json) }

    private static func name(ofMember member: ByteBuffer) -> String? {
        guard let clientData = JSONFields.range(of: "clientData", in: member).flatMap({ member.slice(at: $0) }),
            let given = JSONFields.string(of: "name", in: clientData)
        else { return nil }
        // what ends a name in a line is no part of it
        let spaced = String(String.UnicodeScalarView(given.unicodeScalars.map { $0 == ":" ? " " : $0 }))
        // by scalars: a combining character behind one of these does not change what it looks like
        let name = spaced.withoutInvisibles().unicodeScalars.drop { " *?".unicodeScalars.contains($0) }
        return name.isEmpty ? nil : String(name)
    }

    /// The text of a JSON string; `nil` for any other JSON value.
    private static func string(_ message: ByteBuffer) -> String? {
        message.withUnsafeReadableBytes { bytes in
            guard bytes.count >= 2, bytes[0] == UInt8(ascii: "\"") else { return nil }
            return JSONString.text(UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]))
        }
    }

    private static func write(_ line: String, into buffer: inout ByteBuffer) {
        buffer.writeString(line.withoutControls(replacement: " "))
        buffer.writeStaticString("\n")
    }
}
