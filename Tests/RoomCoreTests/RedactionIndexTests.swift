import Testing

@testable import RoomCore

/// Which of a log's newest entries are messages.
struct RedactionIndexTests {
    @Test(
        arguments: [
            ([], 3, 20, 17), ([], 30, 20, 0), ([19], 3, 20, 16), ([19, 20], 3, 20, 15), ([17], 3, 20, 17),
            ([18], 3, 20, 16), ([20], 1, 20, 18), ([20], 3, 19, 16), ([1, 2], 30, 20, 0), ([1], 0, 20, 20),
        ] as [([UInt64], UInt64, UInt64, UInt64)]
    )
    func `as many messages are found as are asked for`(
        redactions: [UInt64],
        count: UInt64,
        through: UInt64,
        start: UInt64
    ) {
        #expect(RedactionIndex(seqs: redactions).start(of: count, through: through) == start)
    }

    @Test func `what is not known is not looked at`() {
        let index = RedactionIndex(unknownThrough: 15, seqs: [18])
        #expect(index.start(of: 3, through: 20) == 16)
        #expect(index.start(of: 9, through: 20) == 15)
        #expect(index.seqs(after: 17, through: 20) == [18])
        #expect(index.seqs(after: 18, through: 20) == [])
        #expect(index.seqs(after: 15, through: 17) == [])
    }

    @Test func `the oldest are forgotten, and that they are`() {
        var index = RedactionIndex()
        for seq in 1...UInt64(RedactionIndex.capacity + 5) { index.insert(seq * 2) }
        #expect(index.seqs.count == RedactionIndex.capacity)
        #expect(index.unknownThrough == 10)
        #expect(index.seqs.first == 12)
    }
}
