import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// All that a room accepted in one go, as it goes on the wire in each format that its subscribers have; immutable, and
/// shared by every subscriber on every event loop.
final class Chunk: Sendable {
    /// Which message an entry is.
    struct Entry: Sendable {
        /// 0 for what is not an entry of the log: presence, ephemeral messages, notices.
        let seq: UInt64
        /// Means something only where there is a `seq`.
        let kind: EntryKind
    }

    /// An entry that is not for all.
    struct Restriction: Sendable {
        let entry: Int
        let audience: Audience
    }

    /// The user of a message that does not say it.
    struct Author: Sendable {
        let entry: Int
        let user: String
    }

    /// The subscribers that get all of the chunk.
    enum Reach: Sendable {
        case all
        /// Those who have asked to be shown the members; it has nothing for the others.
        case onRequest
        /// It depends on the entries.
        case mixed
    }

    /// Chunks of a room are numbered without holes.
    let number: Int
    /// The canonical one, and those of the formats that subscribers had when the chunk was sealed.
    private let encodings: ByWireFormat<Encoding?>
    let entries: [Entry]
    /// By entry, in ascending order; nearly all chunks have none.
    let restrictions: [Restriction]
    /// By entry, in ascending order; none where the store has them.
    private let authors: [Author]
    let reach: Reach
    /// The epoch of the log that its messages belong to.
    let epoch: Epoch
    /// The newest message before this chunk.
    let seqBefore: UInt64
    /// Who was accepted later has not been told of it while it waited.
    let sealedAt: NIODeadline
    let lastSeq: UInt64
    /// The bytes that the chunk takes of the memory window.
    let size: Int

    init(
        number: Int,
        encodings: ByWireFormat<Encoding?>,
        entries: [Entry],
        restrictions: [Restriction],
        authors: [Author] = [],
        epoch: Epoch,
        seqBefore: UInt64,
        sealedAt: NIODeadline
    ) {
        self.number = number
        self.encodings = encodings
        self.entries = entries
        self.restrictions = restrictions
        self.authors = authors
        self.reach = Self.reach(of: restrictions, entries: entries.count)
        self.epoch = epoch
        self.seqBefore = seqBefore
        self.sealedAt = sealedAt
        self.lastSeq = entries.last { $0.seq > 0 }?.seq ?? seqBefore
        let authored = authors.reduce(0) { $0 + 40 + $1.user.utf8.count }
        self.size = WireFormat.all.reduce(16 * entries.count + 128 + authored) { $0 + (encodings[$1]?.size ?? 0) }
    }

    func has(_ format: WireFormat) -> Bool { self.encodings[format] != nil }

    /// Empty where no subscriber had the format.
    func bytes(_ format: WireFormat) -> ByteBuffer { self.encodings[format]?.bytes ?? ByteBuffer() }

    func range(ofEntry index: Int, _ format: WireFormat) -> Range<Int> {
        self.encodings[format]?.range(ofEntry: index) ?? 0..<0
    }

    func end(ofEntry index: Int, _ format: WireFormat) -> Int { self.range(ofEntry: index, format).upperBound }

    /// The first entry that ends after `offset`; the count where none does.
    func entry(after offset: Int, _ format: WireFormat) -> Int {
        self.encodings[format]?.entry(after: offset) ?? self.entries.count
    }

    /// The newest message that ends at or before `offset`.
    func seq(at offset: Int, _ format: WireFormat) -> UInt64 {
        self.entries[..<self.entry(after: offset, format)].last { $0.seq > 0 }?.seq ?? self.seqBefore
    }

    private static func reach(of restrictions: [Restriction], entries: Int) -> Reach {
        if restrictions.isEmpty { return .all }
        let isOnRequest = restrictions.count == entries && restrictions.allSatisfy { $0.audience == .onRequest }
        return isOnRequest ? .onRequest : .mixed
    }

    /// Whether the subscriber gets all entries.
    ///
    /// - Parameter asks: whether it has asked to be shown the members.
    func isWhole(asks: Bool) -> Bool { self.reach == .all || asks && self.reach == .onRequest }

    /// The audience of an entry.
    func audience(of entry: Int) -> Audience {
        var (low, high) = (0, self.restrictions.count)
        while low < high {
            let middle = (low + high) / 2
            if self.restrictions[middle].entry < entry { low = middle + 1 } else { high = middle }
        }
        guard low < self.restrictions.count, self.restrictions[low].entry == entry else { return .all }
        return self.restrictions[low].audience
    }

    func user(ofEntry index: Int) -> String? { self.authors.first { $0.entry == index }?.user }

    /// Lends the bytes of the formats that are written in one piece, for as long as `body` runs.
    func withSharedBytes<Result>(_ body: (ByWireFormat<UnsafeRawBufferPointer?>) -> Result) -> Result {
        self.lend(WireFormat.all[...], ByWireFormat(nil), to: body)
    }

    private func lend<Result>(
        _ formats: ArraySlice<WireFormat>,
        _ lent: ByWireFormat<UnsafeRawBufferPointer?>,
        to body: (ByWireFormat<UnsafeRawBufferPointer?>) -> Result
    ) -> Result {
        guard let format = formats.first else { return body(lent) }
        guard !format.writesEntriesOneByOne, let encoding = self.encodings[format] else {
            return self.lend(formats.dropFirst(), lent, to: body)
        }
        return encoding.bytes.withUnsafeReadableBytes { bytes in
            var lent = lent
            lent[format] = bytes
            return self.lend(formats.dropFirst(), lent, to: body)
        }
    }

    /// The same chunk with one more format, which follows from the canonical one.
    func adding(_ format: WireFormat) -> Chunk {
        guard let canonical = self.encodings[.canonical] else { return self }
        let encoding = format.encode([], canonical: canonical, self.epoch) { self.entries[$0].seq }
        return self.adding(encoding, in: format)
    }

    /// The same chunk with the lines of its messages for plain-text clients. None was there when it was sealed, and what is no
    /// message but a line (somebody of them has another name) comes of their own.
    func addingText(_ writer: PublishWriter) -> Chunk {
        guard let canonical = self.encodings[.canonical] else { return self }
        var encoding = Encoding()
        for (index, entry) in self.entries.enumerated() {
            let frame = canonical.range(ofEntry: index)
            encoding.append { bytes in
                guard entry.seq > 0, entry.kind == .message,
                    let tail = writer.tail(from: frame.lowerBound, to: frame.upperBound, of: canonical.bytes)
                else { return }
                TextLineWriter.stored(tail, into: &bytes)
            }
        }
        return self.adding(encoding, in: .textLines)
    }

    private func adding(_ encoding: Encoding, in format: WireFormat) -> Chunk {
        var encodings = self.encodings
        encodings[format] = encoding
        return Chunk(
            number: self.number,
            encodings: encodings,
            entries: self.entries,
            restrictions: self.restrictions,
            authors: self.authors,
            epoch: self.epoch,
            seqBefore: self.seqBefore,
            sealedAt: self.sealedAt
        )
    }

    /// The same chunk with a tombstone in the place of a message.
    ///
    /// - Parameter frame: the tombstone in the canonical format.
    func redacting(entry index: Int, with frame: ByteBuffer) -> Chunk {
        var encodings = self.encodings
        for format in WireFormat.all {
            let tombstone = format.tombstone(frame, self.epoch, seq: self.entries[index].seq)
            encodings[format] = encodings[format]?.replacing(entry: index, with: tombstone)
        }
        var entries = self.entries
        entries[index] = Entry(seq: entries[index].seq, kind: .tombstone)
        return Chunk(
            number: self.number,
            encodings: encodings,
            entries: entries,
            restrictions: self.restrictions,
            authors: self.authors,
            epoch: self.epoch,
            seqBefore: self.seqBefore,
            sealedAt: self.sealedAt
        )
    }
}
