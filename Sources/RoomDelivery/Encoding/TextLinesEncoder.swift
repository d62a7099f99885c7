import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// The entries of a room as lines for plain-text clients, who are told of messages, names and notices only.
enum TextLinesEncoder {
    static func write(_ entry: RoomEntry, into bytes: inout ByteBuffer) {
        switch entry.content {
        case .message(let message):
            // ephemeral messages are for programs
            if entry.seq > 0 { TextLineWriter.message(message, from: entry.stamp.sender, into: &bytes) }
        case .named(let name): TextLineWriter.joined(name, into: &bytes)
        case .notice(let notice): TextLineWriter.notice(notice, into: &bytes)
        case .presence, .members, .redaction: return
        }
    }
}
