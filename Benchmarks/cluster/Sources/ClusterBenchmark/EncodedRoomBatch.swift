import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// The channel of all rooms here.
enum BenchmarkChannel {
    static func make() -> RoomChannel {
        guard let id = ChannelID("benchmark") else { preconditionFailure("the id is a valid one") }
        var settings = ChannelSettings(id: id)
        settings.history = HistorySettings(count: 1_000)
        return RoomChannel(settings: settings)
    }
}

/// The messages of a batch as JSON lines, as members and the store get them.
struct EncodedRoomBatch {
    var frames = ByteBuffer()
    var entries: [LogEntry] = []

    init(_ batch: RoomBatch, _ writer: PublishWriter) {
        var tails: [(index: Int, range: Range<Int>)] = []
        for (index, entry) in batch.entries.enumerated() {
            guard case .message(let message) = entry.content else { continue }
            let seq = entry.seq > 0 ? entry.seq : nil
            let range = writer.write(message, stamp: entry.stamp, seq: seq, into: &self.frames)
            if seq != nil { tails.append((index, range)) }
        }
        self.entries = tails.map { index, range in
            let entry = batch.entries[index]
            let tail = self.frames.getSlice(at: range.lowerBound, length: range.count) ?? ByteBuffer()
            return LogEntry(seq: entry.seq, id: entry.stamp.id, key: entry.key, tail: tail)
        }
    }
}
