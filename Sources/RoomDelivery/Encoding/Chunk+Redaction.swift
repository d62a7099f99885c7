import NIOCore
import RoomCore

extension Chunk {
    /// The same chunk with a frame of another text in the place of a message, and no line of text for it.
    ///
    /// - Parameter frame: with its newline.
    func redacting(entry index: Int, with frame: ByteBuffer) -> Chunk {
        let json = self.range(ofEntry: index, .jsonLines)
        let text = self.range(ofEntry: index, .textLines)
        let entries = self.entries.enumerated().map { position, entry in
            guard position >= index else { return entry }
            return Entry(
                jsonEnd: UInt32(Int(entry.jsonEnd) - json.count + frame.readableBytes),
                textEnd: UInt32(Int(entry.textEnd) - text.count),
                seq: entry.seq,
                kind: position == index ? .tombstone : entry.kind
            )
        }
        return Chunk(
            number: self.number,
            json: self.json.replacing(json, with: frame),
            text: self.text.replacing(text, with: ByteBuffer()),
            entries: entries,
            exclusions: self.exclusions,
            seqBefore: self.seqBefore
        )
    }

    func range(ofEntry index: Int, _ wireFormat: WireFormat) -> Range<Int> {
        (index == 0 ? 0 : self.end(ofEntry: index - 1, wireFormat))..<self.end(ofEntry: index, wireFormat)
    }
}

extension ByteBuffer {
    /// A buffer of its own: nothing keeps what was replaced.
    fileprivate func replacing(_ range: Range<Int>, with bytes: ByteBuffer) -> ByteBuffer {
        let whole = self.readableBytesView
        var result = ByteBuffer()
        result.reserveCapacity(whole.count - range.count + bytes.readableBytes)
        result.writeBytes(whole[whole.startIndex..<whole.startIndex + range.lowerBound])
        result.writeImmutableBuffer(bytes)
        result.writeBytes(whole[(whole.startIndex + range.upperBound)...])
        return result
    }
}
