import Testing

@testable import roomline

@Suite struct ShownSizeTests {
    @Test(
        arguments: [
            (0, "0 B"), (812, "812 B"), (999, "999 B"), (1_000, "1.0 kB"), (3_449, "3.4 kB"), (99_949, "99.9 kB"),
            (99_951, "100 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (34_567_890, "34.6 MB"),
            (UInt64.max, "18.4 EB"),
        ] as [(UInt64, String)]
    )
    func `three digits say how much it is`(_ bytes: UInt64, _ text: String) {
        #expect(ShownSize.text(bytes) == text)
    }

    @Test func `an estimate says so`() {
        #expect(ShownSize.text(1_200, isEstimate: true) == "~1.2 kB")
    }
}
