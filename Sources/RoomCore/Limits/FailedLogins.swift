import NIOConcurrencyHelpers
package import RoomModel

/// Slows down whoever tries tokens and secrets: an address, or an IPv6 /64, may fail ten times at once, then once in six
/// seconds; until then what it shows is not looked at. One for the whole broker, shared by sockets, REST and admin side.
///
/// Loopback is not counted, nor is a peer without an address: behind a proxy that does not say whom it stands for,
/// everybody is loopback, and one would lock out all. 10,000 networks are remembered; beyond, those that are nearest to
/// being forgotten anyway make room.
package final class FailedLogins: Sendable {
    private let meter: NIOLockedValueBox<AddressRateLimiter>

    package init(burst: Int = 10, interval: UInt64 = 6_000_000_000, capacity: Int = 10_000) {
        self.meter = NIOLockedValueBox(AddressRateLimiter(interval: interval, burst: burst, capacity: capacity))
    }

    /// Asked before credentials are checked.
    ///
    /// - Parameter now: a monotonic time in nanoseconds.
    /// - Returns: `nil` if the address may try; otherwise how many milliseconds it has to wait.
    package func retryAfter(_ address: IPAddress?, now: UInt64) -> Int? {
        guard let address = Self.counted(address) else { return nil }
        return self.meter.withLockedValue { $0.wait(address, now: now) }
    }

    /// Credentials from this address were wrong.
    package func failed(_ address: IPAddress?, now: UInt64) {
        guard let address = Self.counted(address) else { return }
        self.meter.withLockedValue { $0.add(address, now: now) }
    }

    private static func counted(_ address: IPAddress?) -> IPAddress? {
        address.flatMap { $0.isLoopback ? nil : $0 }
    }
}
