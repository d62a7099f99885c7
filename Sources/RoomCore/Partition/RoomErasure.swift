package import NIOCore
package import RoomModel

/// Takes all messages of a cleared room out of the records through its clear.
package struct RoomErasure: RecordEraser {
    private let room: RoomKey
    private let clear: LogPlace
    private let tombstone: @Sendable (LogEntry) -> LogEntry?

    /// - Parameters:
    ///   - clear: the place of the record with the clear. It may have messages behind the clear, which stay.
    ///   - tombstone: an imported message without its text; `nil` where it has none.
    package init(
        of room: RoomKey,
        clearedAt clear: LogPlace,
        tombstone: @escaping @Sendable (LogEntry) -> LogEntry?
    ) {
        self.room = room
        self.clear = clear
        self.tombstone = tombstone
    }

    package func outcome(of record: ByteBuffer, at place: LogPlace) throws(RecordError) -> ErasureOutcome {
        guard place <= self.clear else { return .absent }
        var record = try PartitionRecord(decoding: record)
        switch record.content {
        case .commands(var entries):
            let end =
                place < self.clear ? entries.endIndex : entries.lastIndex(where: self.clears) ?? entries.startIndex
            let texts = entries.indices.prefix(upTo: end).filter { self.hasText(entries[$0]) }
            guard !texts.isEmpty else { return .absent }
            for index in texts {
                guard case .publish(var publish) = entries[index].command else { continue }
                publish.eraseText()
                entries[index].command = .publish(publish)
            }
            record.content = .commands(entries)
        case .imported(var part):
            guard part.room == self.room else { return .absent }
            let entries = part.entries.map { self.tombstone($0) ?? $0 }
            guard entries != part.entries else { return .absent }
            part.entries = entries
            record.content = .imported(part)
        case .tick, .gone, .erased, .pruned: return .absent
        }
        return .erased(record.encoded)
    }

    private func clears(_ entry: PartitionRecord.RoomEntry) -> Bool {
        guard entry.room == self.room, case .clear = entry.command else { return false }
        return true
    }

    private func hasText(_ entry: PartitionRecord.RoomEntry) -> Bool {
        guard entry.room == self.room, case .publish(let publish) = entry.command else { return false }
        return publish.erasedText == nil
    }
}
