import RoomModel
import Testing

@Suite struct ShownSizeTests {
    @Test(
        arguments: [
            (0, "0 B"), (812, "812 B"), (999, "999 B"), (1_000, "1.0 KiB"), (1_024, "1.0 KiB"), (3_449, "3.4 KiB"),
            (102_348, "99.9 KiB"), (102_349, "100 KiB"), (1_023_487, "999 KiB"), (1_023_488, "1.0 MiB"),
            (34_567_890, "33.0 MiB"), (1 << 30, "1.0 GiB"), (UInt64.max, "16.0 EiB"),
        ] as [(UInt64, String)]
    )
    func `three digits say how much it is`(_ bytes: UInt64, _ text: String) {
        #expect(ShownSize.text(bytes) == text)
    }

    @Test func `an estimate says so`() {
        #expect(ShownSize.text(1_200, isEstimate: true) == "~1.2 KiB")
    }
}
