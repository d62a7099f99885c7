import NIOCore
import RoomCore
import RoomModel

/// Puts another text of the same length in the place of a redacted one, in the records that have it: whoever applies such a record
/// makes the same room of it, and redacts the message behind it anyway.
///
/// The text may be in several records: a node sends a record again, a client publishes again what was not answered, and what the
/// room has refused is in the log too. But another message may say the same. So a record keeps the text if one of its messages
/// that still stands has it.
struct RecordErasure: RecordEraser {
    private let room: RoomKey
    private let text: TextMark
    /// The ids of messages that have the text and stand.
    private let standing: Set<UniqueID>
    /// Their random bits.
    private let randomBits: Set<UInt64>
    private let tombstone: @Sendable (LogEntry) -> LogEntry?

    /// - Parameters:
    ///   - standing: the ids of the messages of the room that have the text and are not redacted.
    ///   - tombstone: an imported message without its text; `nil` where it has another text.
    init(
        of text: TextMark,
        in room: RoomKey,
        standing: some Sequence<UniqueID>,
        tombstone: @escaping @Sendable (LogEntry) -> LogEntry?
    ) {
        self.room = room
        self.text = text
        self.standing = Set(standing)
        self.randomBits = Set(self.standing.map(\.low))
        self.tombstone = tombstone
    }

    func outcome(of record: ByteBuffer, at place: LogOffset) throws(RecordError) -> ErasureOutcome {
        var record = try PartitionRecord(decoding: record)
        switch record.content {
        case .commands(var entries):
            if let outcome = self.erase(&entries, at: place) { return outcome }
            record.content = .commands(entries)
        case .imported(let part):
            guard let erased = self.erased(part) else { return .absent }
            record.content = .imported(erased)
        case .tick, .gone, .erased, .pruned: return .absent
        }
        return .erased(record.encoded)
    }

    private func erased(_ part: ImportRecord) -> ImportRecord? {
        guard part.room == self.room else { return nil }
        var erased = part
        for (index, entry) in part.entries.enumerated() where !self.standing.contains(entry.id) {
            if let tombstone = self.tombstone(entry) { erased.entries[index] = tombstone }
        }
        return erased == part ? nil : erased
    }

    /// - Returns: why nothing is erased; `nil`: it is.
    private func erase(_ entries: inout [PartitionRecord.Command], at place: LogOffset) -> ErasureOutcome? {
        let found = entries.indices.filter { self.publishesText(entries[$0]) }
        guard !found.isEmpty else { return entries.contains { self.hasLostText($0) } ? .stays : .absent }
        guard !self.stands(at: place, entries.count { $0.room == self.room }) else { return .stays }
        for index in found {
            guard case .publish(var publish) = entries[index].command else { continue }
            publish.eraseText()
            entries[index].command = .publish(publish)
        }
        return nil
    }

    private func hasLostText(_ entry: PartitionRecord.Command) -> Bool {
        guard entry.room == self.room, case .publish(let publish) = entry.command else { return false }
        return publish.erasedText == self.text.hash && publish.message.readableBytes == self.text.count
    }

    private func publishesText(_ entry: PartitionRecord.Command) -> Bool {
        guard entry.room == self.room, case .publish(let publish) = entry.command else { return false }
        return publish.erasedText == nil && publish.message.readableBytes == self.text.count
            && TextMark(of: publish.message) == self.text
    }

    /// Whether the record at this place has made one of the messages that stand: their stamps follow from the place.
    ///
    /// - Parameter commands: how many the record has for the room.
    private func stands(at place: LogOffset, _ commands: Int) -> Bool {
        guard !self.randomBits.isEmpty else { return false }
        var seeds = PlaceSeeds(self.room, place)
        // a seed for each batch, and for each log that begins
        for _ in 0..<(2 * commands + 2) {
            var ids = IDSequence(milliseconds: 0, seed: seeds.next())
            for _ in 0..<Self.stamps where self.randomBits.contains(ids.next().low) { return true }
        }
        return false
    }

    /// More than a batch has.
    private static let stamps = 1_024
}
