import RoomCore
import RoomModel

/// Texts that are to be erased from the log, as a partition's snapshot has them.
extension RecordWriter {
    mutating func write(_ erasures: [TextErasure]) {
        self.write(count: erasures.count)
        for erasure in erasures {
            self.write(erasure.room)
            self.write(erasure.seq)
            self.write(erasure.id)
            // no text has no bytes
            self.write(erasure.text ?? TextMark(hash: 0, count: 0))
            self.write(erasure.place.rawValue)
        }
    }
}

extension RecordReader {
    mutating func erasures() throws(RecordError) -> [TextErasure] {
        var erasures: [TextErasure] = []
        for _ in 0..<(try self.count("number of texts to erase", of: UInt64(min(self.left, TextErasure.limit)))) {
            let (room, seq): (RoomKey, UInt64) = (try self.read("room"), try self.read("seq of a text to erase"))
            let (id, text): (UniqueID, TextMark) = (try self.read("id of a text to erase"), try self.read("text"))
            let place = LogOffset(rawValue: try self.number("place of a redaction"))
            let erasure = TextErasure(room: room, seq: seq, id: id, text: text.count > 0 ? text : nil, place: place)
            erasures.append(erasure)
        }
        return erasures
    }
}
