/// What is left to spend on one token and one room.
struct MatchBudget {
    private let clock: ProcessorClock
    /// Set when the first pattern asks.
    private var end: UInt64?

    init(clock: ProcessorClock) {
        self.clock = clock
    }

    /// What one more pattern may spend; `nil`: nothing is left.
    mutating func allowance() -> Allowance? {
        let now = self.clock.nanoseconds()
        let end = self.end ?? now + TokenLimits.evaluation
        self.end = end
        guard now < end else { return nil }
        return Allowance(clock: self.clock, start: now, end: min(end, now + TokenLimits.match))
    }

    struct Allowance {
        let clock: ProcessorClock
        let start: UInt64
        let end: UInt64

        var isSpent: Bool { self.clock.nanoseconds() >= self.end }
        var spent: UInt64 { self.clock.nanoseconds() - self.start }
    }
}
