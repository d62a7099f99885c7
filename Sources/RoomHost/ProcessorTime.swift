import Foundation

/// Processor time, in nanoseconds.
package enum ProcessorTime {
    /// User and system time together.
    package static var ofThisProcess: Int64 { self.of(CLOCK_PROCESS_CPUTIME_ID) ?? 0 }
    package static var ofThisThread: Int64 { self.of(CLOCK_THREAD_CPUTIME_ID) ?? 0 }

    static func of(_ clock: clockid_t) -> Int64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
