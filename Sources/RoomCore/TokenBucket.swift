/// Lets through so many events a second, and up to a second's worth of them at once. Time comes in as a parameter.
package struct TokenBucket: Equatable, Sendable {
    private let perSecond: Int
    /// In billionths of an event, so that no time is lost to rounding.
    private var tokens: Int
    private var last: UInt64

    private static let one = 1_000_000_000

    /// - Parameters:
    ///   - perSecond: 1 to 1,000,000,000.
    ///   - now: a monotonic time in nanoseconds, as in all calls.
    package init(perSecond: Int, now: UInt64) {
        self.perSecond = min(max(perSecond, 1), Self.one)
        self.tokens = self.perSecond * Self.one
        self.last = now
    }

    /// Takes one event.
    ///
    /// - Returns: `nil` if it may pass; otherwise how many milliseconds to wait until the next one may.
    package mutating func take(now: UInt64) -> Int? {
        let elapsed = Int(clamping: min(now - min(now, self.last), UInt64(Self.one)))
        self.last = max(self.last, now)
        self.tokens = min(self.perSecond * Self.one, self.tokens + elapsed * self.perSecond)
        if self.tokens >= Self.one {
            self.tokens -= Self.one
            return nil
        }
        let nanoseconds = (Self.one - self.tokens) / self.perSecond
        return max(1, nanoseconds / 1_000_000)
    }
}
