import NIOCore
package import RoomCore
package import RoomModel

/// A batch with its bytes: the one place where what happens in a room is encoded, once for each wire format that its
/// subscribers have.
package struct EncodedBatch {
    package private(set) var batch: RoomBatch
    /// The epoch of the log that it belongs to.
    private let epoch: Epoch
    private var encodings = ByWireFormat<Encoding?>(nil)
    /// The part of each entry that the store keeps, as ranges of the canonical bytes; filled in only for a batch that
    /// it commits.
    private var tails: [Range<Int>] = []

    package init(_ batch: RoomBatch, _ encoder: JSONLinesEncoder, _ epoch: Epoch) {
        self.batch = batch
        self.epoch = epoch
        guard !batch.entries.isEmpty else { return }
        var canonical = Encoding(
            capacity: JSONLinesEncoder.estimate(batch.entries),
            entries: batch.entries.count
        )
        if batch.needsCommit { self.tails.reserveCapacity(batch.entries.count) }
        for entry in batch.entries {
            let tail = canonical.append { encoder.write(entry, into: &$0) }
            if batch.needsCommit { self.tails.append(tail) }
        }
        self.encodings[.canonical] = canonical
        for format in WireFormat.all where format != .canonical && batch.formats.contains(format) {
            self.encodings[format] = format.encode(batch.entries, canonical: canonical, epoch) { batch.entries[$0].seq }
        }
    }

    /// The entries that the store has to commit. Slices are made here, when the bytes are complete.
    package var logEntries: [LogEntry] {
        guard let canonical = self.encodings[.canonical] else { return [] }
        return zip(self.batch.entries, self.tails).compactMap { entry, tail in
            guard entry.seq > 0 else { return nil }
            let bytes = canonical.bytes.getSlice(at: tail.lowerBound, length: tail.count)
            return entry.logEntry(bytes ?? ByteBuffer())
        }
    }

    /// The bytes of its entries in the canonical format.
    var bytes: Int { self.encodings[.canonical]?.bytes.readableBytes ?? 0 }

    /// Drops the answers of which this does not hold.
    package mutating func keepAnswers(where isKept: (RoomAnswer) -> Bool) {
        self.batch.answers.removeAll { !isKept($0) }
    }

    /// The cost of the batch for its owner.
    var work: Int {
        Work.batch(
            entries: self.batch.entries.count,
            answers: self.batch.answers.count,
            bytes: self.bytes + self.batch.listedBytes
        )
    }

    func chunk(number: Int, sealedAt: NIODeadline) -> Chunk {
        var restrictions: [Chunk.Restriction] = []
        var authors: [Chunk.Author] = []
        for (index, entry) in self.batch.entries.enumerated() {
            if entry.audience != .all { restrictions.append(Chunk.Restriction(entry: index, audience: entry.audience)) }
            guard !self.batch.needsCommit, let user = entry.user else { continue }
            authors.append(Chunk.Author(entry: index, user: user))
        }
        return Chunk(
            number: number,
            encodings: self.encodings,
            entries: self.batch.entries.map { Chunk.Entry(seq: $0.seq, kind: $0.kind) },
            restrictions: restrictions,
            authors: authors,
            epoch: self.epoch,
            seqBefore: self.batch.seqBefore,
            sealedAt: sealedAt
        )
    }
}
