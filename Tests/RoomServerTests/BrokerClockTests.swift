import Synchronization
import Testing

@testable import RoomServer

/// Which steps of the machine's clock the broker follows.
struct BrokerClockTests {
    private static let hour: Int64 = 3_600_000
    private static let start: Int64 = 1_763_697_600_000

    /// Both clocks of a machine, in milliseconds.
    private final class Machine: Sendable {
        private let times = Mutex((unix: BrokerClockTests.start, uptime: Int64(5_000)))

        var unix: Int64 { self.times.withLock { $0.unix } }
        var uptime: Int64 { self.times.withLock { $0.uptime } }

        func pass(_ milliseconds: Int64) {
            self.times.withLock { $0 = ($0.unix + milliseconds, $0.uptime + milliseconds) }
        }

        func set(by milliseconds: Int64) { self.times.withLock { $0.unix += milliseconds } }
    }

    private let machine = Machine()
    private let clock: BrokerClock

    init() {
        let machine = self.machine
        self.clock = BrokerClock(machine: { machine.unix }, uptime: { machine.uptime })
    }

    @Test func `it goes with the machine's clock, back and forth`() {
        self.machine.pass(Self.hour)
        for step in [100, 5_000, -3_000, 20 * Self.hour, -500 * Self.hour, 24 * Self.hour] {
            self.machine.set(by: step)
            #expect(self.clock.now == self.machine.unix)
            #expect(!self.clock.isHeld)
        }
    }

    @Test func `a step of more than a day is not followed, until it is taken back`() {
        self.machine.pass(Self.hour)
        _ = self.clock.now
        let before = self.machine.unix
        self.machine.set(by: 75 * 365 * 24 * Self.hour)
        #expect(self.clock.now == before)
        #expect(self.clock.isHeld)
        self.machine.pass(60_000)
        #expect(self.clock.now == before + 60_000)
        self.machine.set(by: -75 * 365 * 24 * Self.hour)
        #expect(self.clock.now == self.machine.unix)
        #expect(!self.clock.isHeld)
    }

    @Test func `a machine that has slept for a week has not set its clock`() {
        self.machine.pass(Self.hour)
        _ = self.clock.now
        self.machine.pass(7 * 24 * Self.hour)
        #expect(self.clock.now == self.machine.unix)
    }

    @Test func `at first it goes everywhere, since a machine may not know the time yet`() {
        self.machine.pass(599_000)
        self.machine.set(by: 20_000 * 24 * Self.hour)
        #expect(self.clock.now == self.machine.unix)
        self.machine.pass(1_000)
        self.machine.set(by: 25 * Self.hour)
        #expect(self.clock.now == self.machine.unix - 25 * Self.hour)
    }

    @Test func `what is wrong with the clock has a word`() {
        #expect(ClockWarnings(isHeld: false, ids: Self.start + 60_000, now: Self.start).codes == [])
        #expect(ClockWarnings(isHeld: false, ids: Self.start + 60_001, now: Self.start).codes == ["ids_ahead"])
        #expect(ClockWarnings(isHeld: true, ids: 0, now: Self.start).codes == ["clock_not_followed"])
    }
}
