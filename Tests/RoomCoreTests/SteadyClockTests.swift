import Testing

@testable import RoomCore

struct SteadyClockTests {
    /// A clock that was looked at once, with 5,000 s of uptime at 1,000,000 s of Unix time.
    private static func clock() -> SteadyClock {
        var clock = SteadyClock()
        #expect(clock.second(at: 1_000_000_000) { 5_000_000_000_000 } == 1_000_000)
        return clock
    }

    @Test func `it goes on with the machine's clock, and reads no other one meanwhile`() {
        var clock = Self.clock()
        for second in UInt32(1)...100 {
            let now = clock.second(at: 1_000_000_000 + Int64(second) * 1_000) {
                Issue.record("the monotonic clock was read")
                return 0
            }
            #expect(now == 1_000_000 + second)
        }
    }

    @Test(arguments: [3_600_000, -3_600_000, 2_000, -1] as [Int64])
    func `it does not go along where the machine's clock is set`(step: Int64) {
        var clock = Self.clock()
        #expect(clock.second(at: 1_000_000_000 + step) { 5_007_000_000_000 } == 1_000_007)
        #expect(clock.second(at: 1_000_000_900 + step) { 0 } == 1_000_007)
        #expect(clock.second(at: 1_000_001_000 + step) { 0 } == 1_000_008)
    }

    @Test func `what the machine's clock said before now is so much earlier here too`() {
        var clock = Self.clock()
        clock.compare(1_000_010_000, uptime: 5_010_000_000_000)
        #expect(clock.second(of: 1_000_010_000) == 1_000_010)
        #expect(clock.second(of: 1_000_005_000) == 1_000_005)
        #expect(clock.second(of: 1_009_999_000) == 1_000_010)
        #expect(clock.tenMinutesAgo == 1_000_010_000 - 600_000)
    }

    @Test func `what it said before it was set forward is as young as it may be, for ten minutes`() {
        var clock = Self.clock()
        clock.compare(1_003_610_000, uptime: 5_010_000_000_000)
        #expect(clock.tenMinutesAgo == 1_000_010_000 - 600_000)
        #expect(clock.second(of: 1_000_005_000) == 1_000_005)
        #expect(clock.second(of: 1_003_605_000) == 1_000_010, "it may have said so now")
        clock.compare(1_004_209_000, uptime: 5_609_000_000_000)
        #expect(clock.tenMinutesAgo == 1_000_609_000 - 600_000)
        clock.compare(1_004_210_000, uptime: 5_610_000_000_000)
        #expect(clock.tenMinutesAgo == 1_004_210_000 - 600_000)
        #expect(clock.second(of: 1_004_205_000) == 1_000_605)
    }

    @Test func `the least that it said counts, however often it was set`() {
        var clock = Self.clock()
        clock.compare(996_410_000, uptime: 5_010_000_000_000)
        #expect(clock.tenMinutesAgo == 996_410_000 - 600_000)
        clock.compare(1_000_020_000, uptime: 5_020_000_000_000)
        clock.compare(1_003_630_000, uptime: 5_030_000_000_000)
        #expect(clock.tenMinutesAgo == 996_430_000 - 600_000)
        #expect(clock.second(of: 996_415_000) == 1_000_015)
    }

    @Test func `a comparison shows what was too little to be noticed`() {
        var clock = Self.clock()
        #expect(clock.second(at: 1_000_001_000) { 0 } == 1_000_001)
        clock.compare(1_000_001_000, uptime: 5_060_000_000_000)
        #expect(clock.second(at: 1_000_001_000) { 0 } == 1_000_060)
    }

    @Test(arguments: [-1_000_000, Int64(UInt32.max) * 1_000, 10_000_000_000_000])
    func `a lifetime can be added in any century`(unix: Int64) {
        var clock = SteadyClock()
        let now = clock.second(at: unix) { 0 }
        #expect(!now.addingReportingOverflow(PublishKeys.lifetimeSeconds + 1).overflow)
    }
}
