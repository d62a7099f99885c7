package import RoomModel

/// Token buckets of addresses, all of one rate: an IPv4 address or an IPv6 /64 may do so much at once, then one thing an
/// interval. Bounded: where there are too many, those that have refilled most are forgotten first.
package struct AddressRateLimiter: Sendable {
    /// Nanoseconds.
    private let interval: UInt64
    private let burst: UInt64
    private let capacity: Int
    /// When the bucket of a network is full again; one that is full is not kept.
    private var fullAt: [IPAddress: UInt64] = [:]

    /// - Parameters:
    ///   - interval: from one event to the next, in nanoseconds.
    ///   - burst: events at once; at least 1.
    ///   - capacity: networks that are remembered.
    package init(interval: UInt64, burst: Int, capacity: Int) {
        self.interval = max(interval, 1)
        self.burst = UInt64(max(burst, 1))
        self.capacity = max(capacity, 1)
    }

    var count: Int { self.fullAt.count }

    /// How many milliseconds the network of `address` has to wait until its next event; `nil`: it need not.
    func wait(_ address: IPAddress, now: UInt64) -> Int? {
        guard let fullAt = self.fullAt[address.network], fullAt > now else { return nil }
        let missing = fullAt - now
        let allowed = (self.burst - 1) * self.interval
        return missing > allowed ? Int((missing - allowed + 999_999) / 1_000_000) : nil
    }

    /// Counts an event, also one beyond what is allowed; that never puts off the next one by more than an interval.
    package mutating func add(_ address: IPAddress, now: UInt64) {
        let network = address.network
        if self.fullAt[network] == nil, self.fullAt.count >= self.capacity { self.makeRoom(now: now) }
        let fullAt = max(self.fullAt[network] ?? now, now) + self.interval
        self.fullAt[network] = min(fullAt, now + self.burst * self.interval)
    }

    /// Counts an event if it may be.
    ///
    /// - Returns: `nil` if it may; otherwise how many milliseconds to wait.
    package mutating func take(_ address: IPAddress, now: UInt64) -> Int? {
        if let wait = self.wait(address, now: now) { return wait }
        self.add(address, now: now)
        return nil
    }

    /// Drops a quarter at once, so that it is seldom done however many addresses somebody has. All are looked at some times,
    /// and only those at the border are sorted: that would take ten times as long for all.
    private mutating func makeRoom(now: UInt64) {
        let kept = self.capacity - max(self.capacity / 4, 1)
        var (low, high) = (now, max(self.fullAt.values.max() ?? now, now))
        for _ in 0..<Self.halvings {
            let middle = low + (high - low) / 2
            let later = self.fullAt.values.count { $0 > middle }
            if later > kept { low = middle } else { high = middle }
        }
        var latest = self.fullAt.filter { $0.value > high }
        let border = self.fullAt.filter { $0.value > low && $0.value <= high }.sorted {
            ($0.value, $0.key.high, $0.key.low) > ($1.value, $1.key.high, $1.key.low)
        }
        for (network, fullAt) in border.prefix(kept - latest.count) { latest[network] = fullAt }
        self.fullAt = latest
    }

    /// How often the span of times at which buckets are full again is halved: few addresses are left between two
    /// borders.
    private static let halvings = 12
}
