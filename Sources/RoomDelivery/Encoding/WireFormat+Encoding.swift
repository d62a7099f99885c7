import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// The one place that picks an encoder.
extension WireFormat {
    /// Encodes the entries of a batch.
    ///
    /// - Parameter canonical: the same entries in the canonical format, for a format that carries its frames. One that
    ///   follows from it does not look at the entries.
    func encode(_ entries: [RoomEntry], canonical: Encoding) -> Encoding {
        switch self {
        case .jsonLines: return canonical
        case .textLines:
            var encoding = Encoding()
            for entry in entries { encoding.append { TextLinesEncoder.write(entry, into: &$0) } }
            return encoding
        case .webSocket: return Encoding(webSocket: canonical)
        }
    }

    /// What takes the place of a message in a chunk when the message was redacted.
    ///
    /// - Parameter frame: its tombstone, in the canonical format.
    func tombstone(_ frame: ByteBuffer) -> ByteBuffer {
        switch self {
        case .jsonLines: frame
        // what was said was read; there is no line to take it back
        case .textLines: ByteBuffer()
        case .webSocket: WebSocketEncoder.frame(ofLine: frame)
        }
    }

    /// Appends an entry of the store.
    ///
    /// - Parameter index: for a `history_message`: its number. `nil`: the entry as it was published.
    func write(stored entry: LogEntry, index: Int?, _ writer: PublishWriter, into bytes: inout ByteBuffer) {
        switch self {
        case .jsonLines:
            if index != nil, entry.kind == .redaction { return }
            self.writeFrame(entry, index: index, writer, into: &bytes)
            bytes.writeStaticString("\n")
        case .textLines:
            if entry.kind == .message { TextLineWriter.stored(entry.tail, into: &bytes) }
        case .webSocket:
            if index != nil, entry.kind == .redaction { return }
            WebSocketFrameWriter.write(.text, into: &bytes) {
                self.writeFrame(entry, index: index, writer, into: &$0)
            }
        }
    }

    private func writeFrame(_ entry: LogEntry, index: Int?, _ writer: PublishWriter, into bytes: inout ByteBuffer) {
        if let index {
            writer.writeHistory(entry.tail, index: index, into: &bytes)
        } else {
            writer.writeStored(entry, into: &bytes)
        }
    }
}
