import NIOConcurrencyHelpers
import RoomCore
import RoomModel

/// Holds each address to the rate that one connection may publish at: a request has no connection to be counted by.
final class PublishMeter: Sendable {
    private let perSecond: Int
    private let meter: NIOLockedValueBox<AddressRateLimiter>

    /// - Parameter perSecond: `Int.max` for no limit.
    init(perSecond: Int) {
        self.perSecond = perSecond
        let rate = min(max(perSecond, 1), 1_000_000_000)
        self.meter = NIOLockedValueBox(
            AddressRateLimiter(interval: 1_000_000_000 / UInt64(rate), burst: rate, capacity: 10_000)
        )
    }

    /// Why this address cannot publish into so many rooms just now. `nil` for an address is the admin socket.
    ///
    /// - Parameter now: a monotonic time in nanoseconds.
    func refusal(of address: IPAddress?, rooms: Int, now: UInt64) -> RequestError? {
        guard self.perSecond < .max, let address else { return nil }
        let wait = self.meter.withLockedValue { meter in
            let wait = meter.take(address, now: now)
            if wait == nil { for _ in 1..<max(rooms, 1) { meter.add(address, now: now) } }
            return wait
        }
        return wait.map { wait in
            RequestError(
                .rateLimited,
                "more than \(self.perSecond) messages a second from your address; wait before the next one",
                retryAfterMilliseconds: wait
            )
        }
    }
}

/// Bounds how many lists are made at once: each looks at everything that there is in a channel.
final class ConcurrencyLimit: Sendable {
    private let limit: Int
    private let count = NIOLockedValueBox(0)

    init(limit: Int = 8) {
        self.limit = limit
    }

    /// - Returns: false where there are enough; otherwise `leave` has to follow.
    func enter() -> Bool {
        self.count.withLockedValue { count in
            guard count < self.limit else { return false }
            count += 1
            return true
        }
    }

    func leave() {
        self.count.withLockedValue { $0 -= 1 }
    }
}
