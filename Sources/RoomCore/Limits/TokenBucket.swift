import NIOConcurrencyHelpers
package import RoomModel

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

/// A token bucket for each member. The buckets of the last 10,000 members at least are kept, and of twice as many at most:
/// in two generations, of which the older one is dropped, so that nobody's turn takes long.
package final class MemberRateGate: Sendable {
    private struct Buckets {
        var young: [ClientID: TokenBucket] = [:]
        var old: [ClientID: TokenBucket] = [:]
    }

    package static let capacity = 10_000

    package let perSecond: Int
    private let burst: Int
    private let buckets = NIOLockedValueBox(Buckets())

    /// - Parameter burst: how many at once; by default a second's worth.
    package init(perSecond: Int, burst: Int? = nil) {
        self.perSecond = max(perSecond, 1)
        self.burst = burst ?? perSecond
    }

    /// - Returns: `nil` if one event of the member may pass; otherwise how many milliseconds to wait.
    package func take(_ member: ClientID, now: UInt64) -> Int? {
        self.buckets.withLockedValue { buckets in
            let known = buckets.young[member] ?? buckets.old[member]
            if buckets.young.count >= Self.capacity, buckets.young[member] == nil {
                buckets = Buckets(old: buckets.young)
            }
            var bucket = known ?? TokenBucket(perSecond: self.perSecond, burst: self.burst, now: now)
            defer { buckets.young[member] = bucket }
            return bucket.take(now: now)
        }
    }

    /// Buckets that are kept.
    package var count: Int { self.buckets.withLockedValue { $0.young.count + $0.old.count } }
}
