import NIOCore
import RoomJSON
import RoomModel
import RoomWire

/// The request in a line of a plain-text client (protocol §4).
enum TextRequest: Equatable {
    case nothing
    /// Be known by this name from now on.
    case rename(String, clientData: ByteBuffer)
    case publish(ByteBuffer, echoes: Bool)
    /// It cannot be asked so: the client is told.
    case advise(String)
    case help
    case quit

    /// The longest name, in bytes.
    private static let nameLimit = 64

    init(_ line: TextLine) {
        switch line {
        case .blank: self = .nothing
        case .name(let name): self = Self.rename(name)
        case .help: self = .help
        case .quit: self = .quit
        case .message(let text): self = .publish(Self.json(text), echoes: true)
        case .other(let text): self = .publish(Self.json(text), echoes: false)
        case .json:
            self = .advise("a JSON client has to begin its connection with JSON; this one began as plain text")
        case .invalidUTF8: self = .advise("that line is not UTF-8 text; set your terminal to UTF-8")
        }
    }

    private static func rename(_ name: String) -> TextRequest {
        guard !name.isEmpty else { return .advise("the name is empty; say iam:NAME") }
        guard !name.unicodeScalars.contains(":") else {
            return .advise("a name has no colon; you keep the one that you have")
        }
        guard name.unicodeScalars.first != "*", name.unicodeScalars.first != "?" else {
            return .advise("a name does not begin with * or ?; you keep the one that you have")
        }
        guard name.utf8.count <= Self.nameLimit else {
            return .advise(
                "the name has \(name.utf8.count) bytes, and \(Self.nameLimit) are allowed; you keep the one that you have"
            )
        }
        var data = ByteBuffer(string: "{\"name\":")
        data.writeJSONString(name)
        data.writeString(",\"color\":\"\(NameColor.derived(from: name).text)\"}")
        return .rename(name, clientData: data)
    }

    private static func json(_ text: String) -> ByteBuffer {
        var message = ByteBuffer()
        message.writeJSONString(text)
        return message
    }
}
