import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Processor time, as the system counts it.
enum ProcessTimes {
    /// That of this thread, in seconds.
    static var ofThisThread: Double { self.seconds(of: CLOCK_THREAD_CPUTIME_ID) ?? 0 }

    #if os(Linux)
    /// That of a process, with all its threads, in seconds; `nil` if there is none.
    static func of(process: Int32) -> Double? {
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else { return nil }
        return self.seconds(of: clock)
    }
    #else
    /// Linux alone lets others read it without being asked.
    static func of(process: Int32) -> Double? { nil }
    #endif

    private static func seconds(of clock: clockid_t) -> Double? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
