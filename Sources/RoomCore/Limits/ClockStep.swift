/// How far the clock may step: one that is wrong for a moment would otherwise be followed for ever. Times are Unix milliseconds.
package enum ClockStep {
    static let day: Int64 = 86_400_000

    /// 2025-01-01: no Roomline is older, so a clock before it is that of a machine that does not know the time yet.
    package static let earliest: Int64 = 1_735_689_600_000

    package static func isFar(from now: Int64, to time: Int64) -> Bool { time - now > self.day }
}
