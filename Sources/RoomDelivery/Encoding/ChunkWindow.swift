import DequeModule
import RoomCore

/// The newest chunks of a room's log: what can be delivered without asking the store.
struct ChunkWindow {
    private(set) var chunks: Deque<Chunk> = []
    /// The number of the next chunk.
    private(set) var end = 0
    /// The bytes that the chunks take.
    private(set) var bytes = 0

    init() {}

    /// A copy for another event loop.
    init(_ chunks: [Chunk], end: Int) {
        self.chunks = Deque(chunks)
        self.bytes = chunks.reduce(0) { $0 + $1.size }
        self.end = end
    }

    /// The number of the oldest chunk; `end` where there is none.
    var start: Int { self.end - self.chunks.count }

    /// The chunks, oldest first. (An empty deque would be copied by way of the runtime's shared empty array, which the
    /// ThreadSanitizer takes for a race.)
    var array: [Chunk] { self.chunks.isEmpty ? [] : Array(self.chunks) }

    var last: Chunk? { self.chunks.last }

    subscript(number: Int) -> Chunk? {
        let index = number - self.start
        return self.chunks.indices.contains(index) ? self.chunks[index] : nil
    }

    mutating func append(_ chunk: Chunk) {
        self.chunks.append(chunk)
        self.end = chunk.number + 1
        self.bytes += chunk.size
    }

    /// Puts a chunk in the place of the one with its number.
    ///
    /// - Returns: the one that was there; `nil` where there is none any more.
    mutating func replace(with chunk: Chunk) -> Chunk? {
        guard let old = self[chunk.number] else { return nil }
        self.chunks[chunk.number - self.start] = chunk
        self.bytes += chunk.size - old.size
        return old
    }

    /// The chunk that has this message or redaction, and which of its entries that is.
    func place(of seq: UInt64) -> (chunk: Chunk, entry: Int)? {
        let index = self.index(after: seq - min(seq, 1))
        guard seq > 0, index < self.chunks.count,
            let entry = self.chunks[index].entries.firstIndex(where: { $0.seq == seq })
        else { return nil }
        return (self.chunks[index], entry)
    }

    /// Drops the chunks before `number`.
    mutating func trim(before number: Int) {
        while self.start < number, let chunk = self.chunks.popFirst() { self.bytes -= chunk.size }
    }

    /// The window has every message above this `seq` in the format; `nil` where it has none in it.
    ///
    /// A chunk has the formats that subscribers had when it was sealed. To whoever comes with another one, the chunks before
    /// are as good as gone: it is served from the store, or told a gap. A format that follows from the canonical one counts
    /// as there: `provide` makes it where it is to be replayed.
    func start(in format: WireFormat) -> UInt64? {
        if format.followsFromCanonical { return self.chunks.first?.seqBefore }
        let lacking = self.chunks.lastIndex { !$0.has(format) }
        let first = lacking.map { $0 + 1 } ?? self.chunks.startIndex
        return first < self.chunks.endIndex ? self.chunks[first].seqBefore : nil
    }

    /// Gives the format to the chunks that have something above `seq`.
    ///
    /// - Returns: those that did not have it, and the ones in their places.
    mutating func provide(_ format: WireFormat, above seq: UInt64) -> [(old: Chunk, new: Chunk)] {
        var replaced: [(old: Chunk, new: Chunk)] = []
        for chunk in self.chunks[self.index(after: seq)...] where !chunk.has(format) {
            replaced.append((chunk, chunk.adding(format)))
        }
        for (_, new) in replaced { _ = self.replace(with: new) }
        return replaced
    }

    /// The place of the first message above `seq`, which is in the window or just behind its end.
    func cursor(after seq: UInt64, _ wireFormat: WireFormat) -> Cursor {
        let index = self.index(after: seq)
        guard index < self.chunks.count else { return Cursor(chunk: self.end, offset: 0) }
        let chunk = self.chunks[index]
        let entry = chunk.entries.firstIndex { $0.seq > seq } ?? 0
        return Cursor(chunk: chunk.number, offset: entry == 0 ? 0 : chunk.end(ofEntry: entry - 1, wireFormat))
    }

    /// Where the first chunk is that has something above `seq`.
    private func index(after seq: UInt64) -> Int {
        var (low, high) = (0, self.chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if self.chunks[middle].lastSeq > seq {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}

/// A place in a room's log: a chunk's number and an offset in its bytes. Never a reference, so that no subscriber keeps
/// chunks alive.
struct Cursor: Equatable, Sendable {
    var chunk: Int
    var offset: Int

    /// The same place between two entries after a chunk was put in the place of another (`Chunk.redacting`).
    func moved(from old: Chunk, to new: Chunk, _ wireFormat: WireFormat) -> Cursor {
        guard self.chunk == old.number else { return self }
        let entry = old.entry(after: self.offset, wireFormat)
        return Cursor(chunk: self.chunk, offset: entry == 0 ? 0 : new.end(ofEntry: entry - 1, wireFormat))
    }

    mutating func move(from old: Chunk, to new: Chunk, _ wireFormat: WireFormat) {
        self = self.moved(from: old, to: new, wireFormat)
    }
}
