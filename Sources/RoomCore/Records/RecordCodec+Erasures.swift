import RoomModel

/// Texts that are to be erased from the log, as a partition's snapshot has them.
extension RecordWriter {
    mutating func write(_ erasures: [TextErasure]) {
        self.write(count: erasures.count)
        for erasure in erasures {
            self.write(erasure.room)
            self.write(erasure.seq)
            self.write(erasure.id)
            self.write(erasure.text)
            self.write(erasure.place.rawValue)
        }
    }
}

extension RecordReader {
    mutating func erasures() throws(RecordError) -> [TextErasure] {
        var erasures: [TextErasure] = []
        for _ in 0..<(try self.count("number of texts to erase", of: UInt64(min(self.left, TextErasure.limit)))) {
            let erasure = TextErasure(
                room: try self.room(),
                seq: try self.number("seq of a text to erase"),
                id: try self.id("id of a text to erase"),
                text: try self.textMark(),
                place: LogPlace(rawValue: try self.number("place of a redaction"))
            )
            erasures.append(erasure)
        }
        return erasures
    }
}
