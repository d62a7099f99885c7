import NIOCore
import RoomCore
import RoomModel

/// Takes all messages of cleared rooms out of the records through their clears.
struct RoomErasure: RecordEraser {
    private let clears: [RoomKey: LogOffset]
    private let tombstone: @Sendable (LogEntry) -> LogEntry?

    /// - Parameters:
    ///   - clears: the place of the record with the clear of each room. It may have messages behind the clear, which stay.
    ///   - tombstone: an imported message without its text; `nil` where it has none.
    init(of clears: [RoomKey: LogOffset], tombstone: @escaping @Sendable (LogEntry) -> LogEntry?) {
        self.clears = clears
        self.tombstone = tombstone
    }

    func outcome(of record: ByteBuffer, at place: LogOffset) throws(RecordError) -> ErasureOutcome {
        var record = try PartitionRecord(decoding: record)
        switch record.content {
        case .commands(var entries):
            var hasText = false
            // what a room has before the record's clear of it is known only from behind
            var cleared: Set<RoomKey> = []
            for index in entries.indices.reversed() {
                guard let clear = self.clears[entries[index].room] else { continue }
                switch entries[index].command {
                case .clear where place == clear: cleared.insert(entries[index].room)
                case .publish(var publish)
                where publish.erasedText == nil && (place < clear || cleared.contains(entries[index].room)):
                    publish.eraseText()
                    entries[index].command = .publish(publish)
                    hasText = true
                default: continue
                }
            }
            guard hasText else { return .absent }
            record.content = .commands(entries)
        case .imported(var part):
            guard let clear = self.clears[part.room], place < clear else { return .absent }
            let entries = part.entries.map { self.tombstone($0) ?? $0 }
            guard entries != part.entries else { return .absent }
            part.entries = entries
            record.content = .imported(part)
        case .tick, .gone, .erased, .pruned: return .absent
        }
        return .erased(record.encoded)
    }
}
