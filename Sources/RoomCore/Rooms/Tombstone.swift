package import NIOCore
package import RoomModel

/// Replaces a message that was redacted: its stamp and its sender without its text.
package struct Tombstone: Equatable, Sendable {
    /// The message's.
    package var seq: UInt64
    package var id: UniqueID
    /// The message's `LogEntry.tail`, with `"message":null,"redacted":true` at its end.
    package var tail: ByteBuffer
    /// Of the text, for a log that has it somewhere else too; `nil` where nobody has said.
    package var text: TextMark?

    package init(seq: UInt64, id: UniqueID, tail: ByteBuffer, text: TextMark? = nil) {
        self.seq = seq
        self.id = id
        self.tail = tail
        self.text = text
    }
}
