import Foundation

/// The processor time that this thread has used. Unlike the time of day it stands still while others have the
/// processor, so that a busy machine does not make a pattern look expensive.
struct ProcessorClock: Sendable {
    let nanoseconds: @Sendable () -> UInt64

    static let thread = ProcessorClock {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
