#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Wall-clock and CPU time that went by since it was made.
package struct ProcessClock {
    private let wall = ContinuousClock.now
    private let cpu = Self.cpuSeconds()

    package init() {}

    package var wallSeconds: Double { (ContinuousClock.now - self.wall) / .seconds(1) }
    package var cpuSeconds: Double { Self.cpuSeconds() - self.cpu }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// One line: what was done, how many a second, how many a CPU second.
    package func report(_ name: String, count: Int) {
        let perSecond = Int(Double(count) / self.wallSeconds)
        let perCPU = Int(Double(count) / self.cpuSeconds)
        print("\(name): \(perSecond)/s, \(perCPU) per CPU second")
    }
}
