import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// The one place that picks an encoder.
extension WireFormat {
    /// Encodes the entries of a batch.
    ///
    /// - Parameters:
    ///   - canonical: the same entries in the canonical format, for a format that carries its frames. One that
    ///   follows from it does not look at the entries.
    ///   - epoch: of the log that the batch belongs to.
    ///   - seq: of each entry; 0 for what is none of the log.
    func encode(_ entries: [RoomEntry], canonical: Encoding, _ epoch: Epoch, seq: (Int) -> UInt64) -> Encoding {
        switch self {
        case .jsonLines: return canonical
        case .textLines:
            var encoding = Encoding()
            for entry in entries { encoding.append { TextLinesEncoder.write(entry, into: &$0) } }
            return encoding
        case .webSocket: return Encoding(webSocket: canonical)
        case .events: return Encoding(events: canonical, epoch, seq: seq)
        }
    }

    /// The bytes that take the place of a message in a chunk when the message was redacted.
    ///
    /// - Parameters:
    ///   - frame: its tombstone, in the canonical format.
    ///   - epoch: of the log.
    ///   - seq: of the message.
    func tombstone(_ frame: ByteBuffer, _ epoch: Epoch, seq: UInt64) -> ByteBuffer {
        switch self {
        case .jsonLines: frame
        // what was said was read; there is no line to take it back
        case .textLines: ByteBuffer()
        case .webSocket: WebSocketEncoder.frame(ofLine: frame)
        case .events: EventEncoder.event(ofLine: frame, epoch, seq: seq)
        }
    }

    /// Appends an entry of the store.
    ///
    /// - Parameters:
    ///   - epoch: of its log.
    ///   - index: for a `history_message`: its number. `nil`: the entry as it was published.
    func write(
        stored entry: LogEntry,
        _ epoch: Epoch,
        index: Int?,
        _ writer: PublishWriter,
        into bytes: inout ByteBuffer
    ) {
        switch self {
        case .jsonLines:
            if index != nil, !entry.kind.isMessage { return }
            self.writeFrame(entry, index: index, writer, into: &bytes)
            bytes.writeStaticString("\n")
        case .textLines:
            if entry.kind == .message { TextLineWriter.stored(entry.tail, into: &bytes) }
        case .webSocket:
            if index != nil, !entry.kind.isMessage { return }
            WebSocketFrameWriter.write(.text, into: &bytes) {
                self.writeFrame(entry, index: index, writer, into: &$0)
            }
        case .events:
            if index != nil, !entry.kind.isMessage { return }
            EventWriter.writeID(epoch, seq: entry.seq, into: &bytes)
            EventWriter.write(into: &bytes) { line in
                self.writeFrame(entry, index: index, writer, into: &line)
                line.writeStaticString("\n")
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
