import Testing

@testable import RoomClient
@testable import roomline

@Suite struct RoomGapTests {
    @Test(
        arguments: [
            (3...3, "1 message is lost (trimmed)"), (3...5, "3 messages are lost (trimmed)"),
            (0...UInt64.max, "0 messages are lost (trimmed)"),
        ] as [(ClosedRange<UInt64>, String)]
    )
    func `a gap is told in words`(seqs: ClosedRange<UInt64>, text: String) {
        #expect(RoomGap(epoch: "", seqs: seqs, reason: .trimmed).text == text)
    }
}
