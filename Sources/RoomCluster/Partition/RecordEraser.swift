import NIOCore
import RoomCore
import RoomModel

/// Takes texts out of records. A record without them makes the same rooms.
protocol RecordEraser: Sendable {
    func outcome(of record: ByteBuffer, at place: LogOffset) throws(RecordError) -> ErasureOutcome
}

enum ErasureOutcome: Equatable, Sendable {
    /// The record does not have such a text.
    case absent
    /// It keeps the text, or has lost it before.
    case stays
    /// Its bytes without the text.
    case erased(ByteBuffer)
}

extension PublishCommand {
    /// Puts JSON of the same length that says nothing in the place of the text, and keeps the hash of it: by that a repeat is known.
    mutating func eraseText() {
        self.erasedText = StableHash.of(self.message)
        let count = self.message.readableBytes
        self.message = ByteBuffer(string: count > 1 ? "\"" + String(repeating: " ", count: count - 2) + "\"" : "0")
    }
}
