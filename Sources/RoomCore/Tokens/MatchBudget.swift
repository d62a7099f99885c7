import Foundation

/// The processor time that is left for one token and one room.
struct MatchBudget {
    /// The most that one pattern may spend.
    struct Allowance {
        let clock: ProcessorClock
        let end: UInt64

        var isSpent: Bool { self.clock.nanoseconds() >= self.end }
        var isHalfSpent: Bool { self.clock.nanoseconds() >= self.end - TokenLimits.match / 2 }
    }

    private let clock: ProcessorClock
    /// Set when the first pattern asks.
    private var end: UInt64?
    /// The patterns that the engine has looked for.
    var searched = 0
    /// The patterns that were compiled for it.
    var compiled = 0

    init(clock: ProcessorClock) {
        self.clock = clock
    }

    /// Whether nothing is left.
    mutating func isSpent() -> Bool {
        let now = self.clock.nanoseconds()
        let end = self.end ?? now + TokenLimits.evaluation
        self.end = end
        return now >= end
    }

    /// Nanoseconds since the first pattern asked; 0 where none did.
    func spent() -> UInt64 {
        guard let end else { return 0 }
        return self.clock.nanoseconds() - (end - TokenLimits.evaluation)
    }

    /// The processor time that a search may spend that starts now. Compiling before it is on the token's account only.
    func allowance() -> Allowance {
        Allowance(clock: self.clock, end: self.clock.nanoseconds() + TokenLimits.match)
    }
}

/// The processor time that this thread has used. Unlike the time of day it stands still while others have the
/// processor, so that a busy machine does not make a pattern look expensive.
package struct ProcessorClock: Sendable {
    let nanoseconds: @Sendable () -> UInt64

    package static let thread = ProcessorClock {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
