import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A chunk's index, the window of chunks, and what is left of a batch whose commit failed.
struct ChunkTests {
    /// Entries of ten bytes each; `seqs` has 0 for what is no stored message.
    private static func chunk(_ number: Int, _ seqs: [UInt64], after seq: UInt64) -> Chunk {
        Self.encoded(seqs, after: seq).chunk(number: number)
    }

    private static func encoded(
        _ seqs: [UInt64],
        after seq: UInt64,
        excluding: [Int: ConnectionRef] = [:]
    ) -> EncodedBatch {
        var encoded = EncodedBatch(seqBefore: seq)
        for (index, seq) in seqs.enumerated() {
            encoded.json.writeString("entry-\(index)--\n")
            encoded.text.writeString("line \(index)\n")
            encoded.endEntry(seq: seq, excluding: excluding[index])
        }
        return encoded
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
            let entries = (0..<3).map { entry -> String in
                let range = redacted.range(ofEntry: entry, .jsonLines)
                return redacted.json.getString(at: range.lowerBound, length: range.count) ?? ""
            }
            let lines = (0..<3).map { entry -> String in
                let range = redacted.range(ofEntry: entry, .textLines)
                return redacted.text.getString(at: range.lowerBound, length: range.count) ?? ""
            }
            #expect(entries == (0..<3).map { $0 == index ? "a longer entry\n" : "entry-\($0)--\n" })
            #expect(lines == (0..<3).map { $0 == index ? "" : "line \($0)\n" })
            #expect(redacted.entries.map(\.seq) == [5, 0, 6])
            #expect(redacted.json.readableBytes == 35)
            #expect((redacted.seqBefore, redacted.lastSeq) == (4, 6))
        }
    }

    @Test(arguments: [WireFormat.jsonLines, .textLines])
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

    @Test func `a failed commit leaves presence and ephemeral entries, in their order`() {
        let connection = ConnectionRef.make(3)
        var encoded = Self.encoded([0, 7, 0, 8], after: 6, excluding: [1: .make(9), 2: connection])
        encoded.outcomes = [
            .attach(.make(), seq: 8, snapshot: nil, entry: 4), .attach(.make(), seq: 7, snapshot: nil, entry: 2),
        ]
        let rest = encoded.withoutStored()
        #expect(String(buffer: rest.json) == "entry-0--\nentry-2--\n")
        #expect(String(buffer: rest.text) == "line 0\nline 2\n")
        #expect(rest.chunk(number: 0).lastSeq == 6)
        #expect(rest.exclusions.map(\.entry) == [1] && rest.exclusions.map(\.connection) == [connection])
        let places = rest.outcomes.map { outcome -> [UInt64] in
            if case .attach(_, let seq, _, let entry) = outcome { [seq, UInt64(entry)] } else { [] }
        }
        #expect(places == [[6, 2], [6, 1]])
    }

    @Test func `a failed commit refuses what it held and answers what was there before`() {
        let stamp = Stamp(id: .make(1), sender: .make())
        let acknowledgement = { (callback: Int64, seq: UInt64?) in
            EncodedBatch.Outcome.acknowledge(
                Acknowledgement(
                    origin: Origin(connection: .make(), callback: callback),
                    room: RoomName("room"),
                    messageID: nil,
                    stamp: stamp,
                    seq: seq
                )
            )
        }
        var encoded = EncodedBatch(seqBefore: 6)
        encoded.outcomes = [acknowledgement(1, 6), acknowledgement(2, 7), acknowledgement(3, nil)]
        let refused = encoded.withoutStored().outcomes.map { outcome -> Int64? in
            if case .refuse(let origin, let error) = outcome, error.code == .storageUnavailable {
                origin.callback
            } else {
                nil
            }
        }
        #expect(refused == [nil, 2, nil])
    }
}
