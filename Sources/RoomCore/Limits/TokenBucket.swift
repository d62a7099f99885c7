import NIOConcurrencyHelpers

/// Lets through so many events a second, and a burst of them at once. Time comes in as a parameter.
package struct TokenBucket: Equatable, Sendable {
    package let perSecond: Int
    private let capacity: Int
    /// In billionths of an event, so that no time is lost to rounding.
    private var tokens: Int
    private var last: UInt64

    private static let one = 1_000_000_000

    /// - Parameters:
    ///   - perSecond: 1 to 1,000,000,000.
    ///   - burst: how many at once, in the same bounds; by default a second's worth.
    ///   - now: a monotonic time in nanoseconds, as in all calls.
    package init(perSecond: Int, burst: Int? = nil, now: UInt64) {
        self.perSecond = min(max(perSecond, 1), Self.one)
        self.capacity = min(max(burst ?? perSecond, 1), Self.one) * Self.one
        self.tokens = self.capacity
        self.last = now
    }

    /// Takes one event.
    ///
    /// - Returns: `nil` if it may pass; otherwise how many milliseconds to wait until the next one may.
    package mutating func take(now: UInt64) -> Int? {
        // more than what fills it need not be counted, and would overflow
        let longest = (self.capacity - self.tokens) / self.perSecond + 1
        let elapsed = Int(clamping: min(now - min(now, self.last), UInt64(longest)))
        self.last = max(self.last, now)
        self.tokens = min(self.capacity, self.tokens + elapsed * self.perSecond)
        if self.tokens >= Self.one {
            self.tokens -= Self.one
            return nil
        }
        let nanoseconds = (Self.one - self.tokens) / self.perSecond
        return max(1, nanoseconds / 1_000_000)
    }
}

/// A token bucket that all event loops share.
final class RateGate: Sendable {
    private let bucket: NIOLockedValueBox<TokenBucket>

    init(perSecond: Int) {
        self.bucket = NIOLockedValueBox(TokenBucket(perSecond: perSecond, now: 0))
    }

    /// - Returns: `nil` if one event may pass; otherwise how many milliseconds to wait.
    func take(now: UInt64) -> Int? { self.bucket.withLockedValue { $0.take(now: now) } }
}
