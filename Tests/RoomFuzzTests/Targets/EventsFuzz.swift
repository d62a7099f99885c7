import NIOCore
import RoomModel
import RoomWire

/// Events of a stream are found again as they were written, and the id of one is the place in the log that it names.
enum EventsFuzz: FuzzTarget {
    static let name = "events"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let text = bytes.text
        if let position = Position(eventID: text), let epoch = position.epoch {
            var mark = ByteBuffer()
            EventWriter.writeMark(epoch, seq: position.seq, into: &mark)
            let id = String(buffer: mark).dropFirst("id: ".utf8.count).dropLast(2)
            try demand(Position(eventID: id) == position, "the id of an event: \(id)")
        }
        try self.checkEnds(of: text.split(whereSeparator: \.isNewline).map(String.init))
    }

    /// From anywhere within an event, its end is found.
    private static func checkEnds(of lines: [String]) throws {
        var buffer = ByteBuffer()
        for line in lines {
            let start = buffer.writerIndex
            EventWriter.write(into: &buffer) { $0.writeString("\(line)\n") }
            let end = buffer.writerIndex
            EventWriter.writePing(into: &buffer)
            for index in [start, start + 1, (start + end) / 2, end - 1] {
                let found = EventWriter.end(ofEventAfter: index, in: buffer)
                try demand(found == end, "the event of \(start) to \(end) ends at \(found), seen from \(index)")
            }
        }
    }
}
