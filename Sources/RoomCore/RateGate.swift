import NIOConcurrencyHelpers
import RoomModel

/// A token bucket that all event loops share.
final class RateGate: Sendable {
    private let bucket: NIOLockedValueBox<TokenBucket>

    init(perSecond: Int) {
        self.bucket = NIOLockedValueBox(TokenBucket(perSecond: perSecond, now: 0))
    }

    /// - Returns: `nil` if one event may pass; otherwise how many milliseconds to wait.
    func take(now: UInt64) -> Int? { self.bucket.withLockedValue { $0.take(now: now) } }
}

/// A token bucket for each member.
final class MemberRateGate: Sendable {
    /// Beyond it those that have been idle are forgotten; a bucket of a second is full again by then.
    private static let capacity = 10_000

    private let perSecond: Int
    private let buckets = NIOLockedValueBox<[ClientID: (bucket: TokenBucket, last: UInt64)]>([:])

    init(perSecond: Int) {
        self.perSecond = perSecond
    }

    /// - Returns: `nil` if one event of the member may pass; otherwise how many milliseconds to wait.
    func take(_ member: ClientID, now: UInt64) -> Int? {
        self.buckets.withLockedValue { buckets in
            if buckets.count >= Self.capacity, buckets[member] == nil {
                buckets = buckets.filter { $0.value.last + 1_000_000_000 > now }
            }
            var (bucket, _) = buckets[member] ?? (TokenBucket(perSecond: self.perSecond, now: now), now)
            defer { buckets[member] = (bucket, now) }
            return bucket.take(now: now)
        }
    }
}
