import Testing

@testable import RoomServer

@Suite struct UnitScaleTests {
    @Test(arguments: [
        ("0", 0), ("65536", 65_536), ("64KiB", 65_536), ("1MiB", 1_048_576), ("3GiB", 3_221_225_472), ("007", 7),
    ])
    func `a size is read`(text: String, bytes: Int) {
        #expect(UnitScale.bytes.parse(text) == bytes)
    }

    @Test(arguments: [
        ("500ms", 500), ("10s", 10_000), ("5m", 300_000), ("2h", 7_200_000), ("30d", 2_592_000_000), ("0s", 0),
        ("1w", 604_800_000),
    ])
    func `a duration is read`(text: String, milliseconds: Int) {
        #expect(UnitScale.milliseconds.parse(text) == milliseconds)
    }

    @Test(arguments: [
        "", "s", "10", "10S", "1y", "1.5s", "-1s", "+1s", " 1s", "1s ", "1 s", "9223372036854775807d", "１s",
    ])
    func `anything else is not a duration`(text: String) {
        #expect(UnitScale.milliseconds.parse(text) == nil)
    }

    @Test(arguments: ["7d", "14d", "90s", "36h"])
    func `a duration is shown in days and less`(text: String) throws {
        let milliseconds = try #require(UnitScale.milliseconds.parse(text))
        #expect(UnitScale.milliseconds.format(milliseconds) == text)
    }

    @Test(arguments: [(0, "0"), (1, "1"), (1_536, "1536"), (2_048, "2KiB"), (1 << 30, "1GiB"), (1_537, "1537")])
    func `a size is shown in the largest unit that leaves a whole number`(bytes: Int, text: String) {
        #expect(UnitScale.bytes.format(bytes) == text)
    }
}
