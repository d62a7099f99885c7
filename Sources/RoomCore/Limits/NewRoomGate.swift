import NIOConcurrencyHelpers
package import RoomModel

/// Those who bring rooms to life, each of whom has a rate.
package enum RoomMaker: Hashable, Sendable {
    case member(ClientID)
    /// A user of a channel, by REST.
    case user(ChannelID, String)
    /// By REST without a user. An IPv6 address stands for its /64.
    case network(IPAddress)
}

/// A token bucket for each of those who bring rooms to life. The buckets of the last 10,000 at least are kept, and of twice
/// as many at most: in two generations, of which the older one is dropped, so that nobody's turn takes long.
package final class NewRoomGate: Sendable {
    private struct Buckets {
        var young: [RoomMaker: TokenBucket] = [:]
        var old: [RoomMaker: TokenBucket] = [:]
    }

    static let capacity = 10_000

    private let perSecond: Int
    private let burst: Int
    private let buckets = NIOLockedValueBox(Buckets())

    /// - Parameter burst: how many at once; by default a second's worth.
    package init(perSecond: Int, burst: Int? = nil) {
        self.perSecond = max(perSecond, 1)
        self.burst = burst ?? perSecond
    }

    /// - Returns: `nil` if the room may come to life; otherwise why not, and for how long.
    package func refusal(of maker: RoomMaker, now: UInt64) -> RequestError? {
        guard let wait = self.take(maker, now: now) else { return nil }
        let who =
            switch maker {
            case .member: "by one member"
            case .user: "by one user"
            case .network: "from one address"
            }
        return RequestError(
            .rateLimited,
            "more than \(self.perSecond) new rooms a second \(who); wait before the next one",
            retryAfterMilliseconds: wait
        )
    }

    /// - Returns: `nil` if the room may come to life; otherwise how many milliseconds to wait.
    func take(_ maker: RoomMaker, now: UInt64) -> Int? {
        self.buckets.withLockedValue { buckets in
            let known = buckets.young[maker] ?? buckets.old[maker]
            if buckets.young.count >= Self.capacity, buckets.young[maker] == nil {
                buckets = Buckets(old: buckets.young)
            }
            var bucket = known ?? TokenBucket(perSecond: self.perSecond, burst: self.burst, now: now)
            defer { buckets.young[maker] = bucket }
            return bucket.take(now: now)
        }
    }

    /// Buckets that are kept.
    var count: Int { self.buckets.withLockedValue { $0.young.count + $0.old.count } }
}
