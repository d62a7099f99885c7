import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// What was said in the text room while nobody knew yet that the client speaks plain text.
extension Subscriber {
    /// The bytes of lines that a client hears of that time: the newest.
    private static let earlierBytes = 64 * 1_024

    /// Has the member hear what was said since then, as far as the window has it.
    ///
    /// - Returns: what it does next.
    func hearing(since time: NIODeadline?, until start: Cursor) -> State {
        guard let time else { return .live }
        let writer = PublishWriter(room: self.replica.key.room)
        var (first, bytes) = (start.chunk, 0)
        while let chunk = self.replica.window[first - 1], chunk.sealedAt >= time, chunk.epoch == self.replica.epoch {
            let text = chunk.has(.textLines) ? chunk : chunk.addingText(writer)
            bytes += text.bytes(.textLines).readableBytes
            guard bytes <= Self.earlierBytes else { break }
            if text !== chunk { self.replica.replace(with: text) }
            first = text.number
            self.lastSeq = text.seqBefore
        }
        self.connection.share.cause(Work.copy(bytes: bytes))
        guard first < start.chunk || start.offset > 0 else { return .live }
        self.cursor = Cursor(chunk: first, offset: 0)
        return .replaying(until: start)
    }
}
