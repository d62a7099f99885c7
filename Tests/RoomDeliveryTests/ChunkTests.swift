import DequeModule
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A chunk's index in each of its formats, and the window of chunks.
struct ChunkTests {
    /// Entries of ten bytes each; `seqs` has 0 for what is no stored message.
    private static func chunk(
        _ number: Int,
        _ seqs: [UInt64],
        after seq: UInt64,
        formats: [WireFormat] = WireFormat.allCases
    ) -> Chunk {
        var encodings = ByWireFormat<Encoding?>(nil)
        for format in formats {
            var encoding = Encoding()
            for index in seqs.indices { encoding.append { _ = $0.writeString(Self.text(index, format)) } }
            encodings[format] = encoding
        }
        return Chunk(
            number: number,
            encodings: encodings,
            entries: seqs.map { Chunk.Entry(seq: $0, kind: .message) },
            restrictions: [],
            epoch: Epoch(rawValue: 1),
            seqBefore: seq,
            sealedAt: .uptimeNanoseconds(0)
        )
    }

    private static func text(_ index: Int, _ format: WireFormat) -> String {
        format == .canonical ? "entry-\(index)--\n" : "line \(index)\n"
    }

    private static func texts(_ chunk: Chunk, _ format: WireFormat) -> [String] {
        chunk.entries.indices.map { entry in
            let range = chunk.range(ofEntry: entry, format)
            return chunk.bytes(format).getString(at: range.lowerBound, length: range.count) ?? ""
        }
    }

    @Test(
        arguments: [(0, 0, 4), (9, 0, 4), (10, 1, 5), (11, 1, 5), (29, 2, 5), (30, 3, 6), (40, 3, 6)]
            as [(
                Int, Int, UInt64
            )]
    )
    func `an offset says which entry is next and which message was the last`(offset: Int, entry: Int, seq: UInt64) {
        let chunk = Self.chunk(1, [5, 0, 6], after: 4)
        #expect(chunk.entry(after: offset, .jsonLines) == entry)
        #expect(chunk.seq(at: offset, .jsonLines) == seq)
    }

    @Test func `a chunk without messages ends where it began`() {
        let chunk = Self.chunk(1, [0, 0], after: 4)
        #expect(chunk.lastSeq == 4)
        #expect(chunk.seq(at: 20, .jsonLines) == 4)
    }

    @Test(
        arguments: [
            (0, Cursor(chunk: 0, offset: 0)), (1, Cursor(chunk: 0, offset: 10)), (2, Cursor(chunk: 1, offset: 10)),
            (3, Cursor(chunk: 3, offset: 0)), (9, Cursor(chunk: 3, offset: 0)),
        ] as [(UInt64, Cursor)]
    )
    func `the window finds the place behind a message`(seq: UInt64, expected: Cursor) {
        var window = ChunkWindow()
        window.append(Self.chunk(0, [1, 2], after: 0))
        window.append(Self.chunk(1, [0, 3], after: 2))
        window.append(Self.chunk(2, [0], after: 3))
        #expect(window.cursor(after: seq, .jsonLines) == expected)
    }

    @Test func `a redacted chunk has every other byte where its entries say`() {
        let chunk = Self.chunk(1, [5, 0, 6], after: 4)
        let frame = ByteBuffer(string: "a longer entry\n")
        for index in 0..<3 {
            let redacted = chunk.redacting(entry: index, with: frame)
            let entries = Self.texts(redacted, .jsonLines)
            let lines = Self.texts(redacted, .textLines)
            #expect(entries == (0..<3).map { $0 == index ? "a longer entry\n" : "entry-\($0)--\n" })
            #expect(lines == (0..<3).map { $0 == index ? "" : "line \($0)\n" })
            #expect(redacted.entries.map(\.seq) == [5, 0, 6])
            #expect(redacted.bytes(.jsonLines).readableBytes == 35)
            #expect((redacted.seqBefore, redacted.lastSeq) == (4, 6))
        }
    }

    @Test(arguments: WireFormat.allCases)
    func `who stood between two entries stands between them afterwards`(wireFormat: WireFormat) {
        let chunk = Self.chunk(1, [5, 0, 6], after: 4)
        for index in 0..<3 {
            let redacted = chunk.redacting(entry: index, with: ByteBuffer(string: "+\n"))
            for entry in 0..<3 {
                let old = Cursor(chunk: 1, offset: chunk.range(ofEntry: entry, wireFormat).upperBound)
                let new = Cursor(chunk: 1, offset: redacted.range(ofEntry: entry, wireFormat).upperBound)
                #expect(old.moved(from: chunk, to: redacted, wireFormat) == new)
            }
            let start = Cursor(chunk: 1, offset: 0)
            #expect(start.moved(from: chunk, to: redacted, wireFormat) == start)
            let elsewhere = Cursor(chunk: 2, offset: 10)
            #expect(elsewhere.moved(from: chunk, to: redacted, wireFormat) == elsewhere)
        }
    }

    @Test func `the window knows the place of a message`() {
        var window = ChunkWindow()
        window.append(Self.chunk(0, [1, 2], after: 0))
        window.append(Self.chunk(1, [0, 3], after: 2))
        window.append(Self.chunk(2, [0], after: 3))
        let places = (0...4).map { window.place(of: $0).map { [$0.chunk.number, $0.entry] } }
        #expect(places == [nil, [0, 0], [0, 1], [1, 1], nil])
        window.trim(before: 1)
        #expect(window.place(of: 2) == nil)
        #expect(window.replace(with: Self.chunk(0, [1], after: 0)) == nil)
    }

    @Test func `a window that is trimmed keeps its numbers`() {
        var window = ChunkWindow()
        for number in 0..<4 { window.append(Self.chunk(number, [UInt64(number + 1)], after: UInt64(number))) }
        window.trim(before: 2)
        #expect((window.start, window.end) == (2, 4))
        #expect(window[1] == nil && window[2]?.number == 2 && window[4] == nil)
        window.trim(before: 9)
        #expect((window.start, window.end) == (4, 4))
    }

    @Test func `a chunk without a format has nothing to write in it, and its place is behind it`() {
        let chunk = Self.chunk(1, [5, 6], after: 4, formats: [.jsonLines])
        #expect(chunk.bytes(.textLines).readableBytes == 0)
        #expect(!chunk.has(.textLines) && chunk.has(.jsonLines))
        #expect(chunk.seq(at: 0, .textLines) == 6)
        #expect(chunk.end(ofEntry: 1, .textLines) == 0)
        let redacted = chunk.redacting(entry: 0, with: ByteBuffer(string: "+\n"))
        #expect(!redacted.has(.textLines))
        #expect(Self.texts(redacted, .jsonLines) == ["+\n", "entry-1--\n"])
    }

    @Test func `the window begins in a format where its chunks have it`() {
        var window = ChunkWindow()
        #expect(window.start(in: .jsonLines) == nil && window.start(in: .textLines) == nil)
        window.append(Self.chunk(0, [1, 2], after: 0))
        window.append(Self.chunk(1, [3], after: 2, formats: [.jsonLines]))
        #expect(window.start(in: .jsonLines) == 0 && window.start(in: .textLines) == nil)
        window.append(Self.chunk(2, [4], after: 3))
        #expect(window.start(in: .jsonLines) == 0 && window.start(in: .textLines) == 3)
        #expect(window.start(in: .webSocket) == 0)
    }

    @Test func `a chunk is given a format that follows from the canonical one`() {
        let old = Self.chunk(1, [5, 0, 6], after: 4, formats: [.jsonLines, .textLines])
        let chunk = old.adding(.webSocket)
        let frames = (0..<3).map { [0x81, 9] + Array("entry-\($0)--".utf8) } as [[UInt8]]
        #expect(Array(chunk.bytes(.webSocket).readableBytesView) == frames.flatMap { $0 })
        #expect((0..<3).map { chunk.end(ofEntry: $0, .webSocket) } == [11, 22, 33])
        #expect(Self.texts(chunk, .jsonLines) == Self.texts(old, .jsonLines))
        #expect((chunk.number, chunk.seqBefore, chunk.lastSeq) == (1, 4, 6))
        #expect(chunk.size > old.size + 33)
        let redacted = chunk.redacting(entry: 1, with: ByteBuffer(string: "+\n"))
        #expect(Array(redacted.bytes(.webSocket).readableBytesView) == frames[0] + [0x81, 1, 0x2b] + frames[2])
    }

    @Test func `the window makes a format only where it is to be replayed, and once`() {
        var window = ChunkWindow()
        for number in 0..<4 {
            let formats: [WireFormat] = number == 2 ? [.jsonLines, .webSocket] : [.jsonLines]
            window.append(Self.chunk(number, [UInt64(number + 1)], after: UInt64(number), formats: formats))
        }
        #expect(window.provide(.webSocket, above: 1).map(\.new.number) == [1, 3])
        #expect(window.chunks.map { $0.has(.webSocket) } == [false, true, true, true])
        #expect(window.provide(.webSocket, above: 1).isEmpty)
        #expect(window.bytes == window.chunks.reduce(0) { $0 + $1.size })
    }

    @Test func `the window knows what its chunks take`() {
        var window = ChunkWindow()
        for number in 0..<3 { window.append(Self.chunk(number, [UInt64(number + 1)], after: UInt64(number))) }
        let frame = ByteBuffer(string: String(repeating: "+", count: 1_000))
        let old = window.chunks[1]
        _ = window.replace(with: old.redacting(entry: 0, with: frame))
        #expect(window.bytes == window.chunks.reduce(0) { $0 + $1.size })
        #expect(window.bytes > 1_000)
        window.trim(before: 2)
        #expect(window.bytes == window.chunks[0].size)
        window.trim(before: 3)
        #expect(window.bytes == 0)
    }

    @Test func `bytes are lent in the formats that are written in one piece`() {
        let chunk = Self.chunk(1, [5, 6], after: 4)
        let lent = chunk.withSharedBytes { bytes in WireFormat.allCases.map { bytes[$0]?.count } }
        #expect(lent == [20, nil, 14, 14])
    }
}
