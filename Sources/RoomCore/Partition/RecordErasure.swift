package import NIOCore
package import RoomModel

/// Puts another text of the same length in the place of a redacted one, in the records that have it: whoever applies such a record
/// makes the same room of it, and redacts the message behind it anyway.
///
/// The text may be in several records: a node sends a record again, a client publishes again what was not answered, and what the
/// room has refused is in the log too. But another message may say the same. So a record keeps the text if one of its messages
/// that still stands has it.
package struct RecordErasure: Sendable {
    private let room: RoomKey
    private let text: TextMark
    /// The random bits of the stamps of messages that have the text and stand.
    private let standing: Set<UInt64>

    /// - Parameter standing: the ids of the messages of the room that have the text and are not redacted.
    package init(of text: TextMark, in room: RoomKey, standing: some Sequence<UniqueID>) {
        self.room = room
        self.text = text
        self.standing = Set(standing.map(\.low))
    }

    /// - Returns: the bytes of the record without the text; `nil`: they have it not, or have to keep it.
    package func erased(_ record: ByteBuffer, at place: LogPlace) throws(RecordError) -> ByteBuffer? {
        var record = try PartitionRecord(decoding: record)
        guard case .commands(var entries) = record.content else { return nil }
        let found = entries.indices.filter { self.publishesText(entries[$0]) }
        let commands = entries.count { $0.room == self.room }
        guard !found.isEmpty, !self.stands(at: place, commands) else { return nil }
        for index in found {
            guard case .publish(var publish) = entries[index].command else { continue }
            publish.message = Self.replacement(of: publish.message.readableBytes)
            publish.erasedText = self.text.hash
            entries[index].command = .publish(publish)
        }
        record.content = .commands(entries)
        return record.encoded
    }

    private func publishesText(_ entry: PartitionRecord.RoomEntry) -> Bool {
        guard entry.room == self.room, case .publish(let publish) = entry.command else { return false }
        return publish.erasedText == nil && publish.message.readableBytes == self.text.count
            && TextMark(of: publish.message) == self.text
    }

    /// Whether the record at this place has made one of the messages that stand: their stamps follow from the place.
    ///
    /// - Parameter commands: how many the record has for the room.
    private func stands(at place: LogPlace, _ commands: Int) -> Bool {
        guard !self.standing.isEmpty else { return false }
        var seeds = PlaceSeeds(self.room, place)
        // a seed for each batch, and for each log that begins
        for _ in 0..<(2 * commands + 2) {
            var ids = IDSequence(milliseconds: 0, seed: seeds.next())
            for _ in 0..<Self.stamps where self.standing.contains(ids.next().low) { return true }
        }
        return false
    }

    /// More than a batch has.
    private static let stamps = 1_024

    /// JSON of so many bytes that says nothing.
    static func replacement(of count: Int) -> ByteBuffer {
        guard count > 1 else { return ByteBuffer(string: "0") }
        return ByteBuffer(string: "\"" + String(repeating: " ", count: count - 2) + "\"")
    }
}
