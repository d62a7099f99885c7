import NIOConcurrencyHelpers
import NIOCore
import RoomModel

/// Bounds how many connections there are: in all, from one IP address, and of those that have not said anything yet.
package final class ConnectionGate: Sendable {
    package struct Limits: Equatable, Sendable {
        package var total = Int.max
        /// Loopback is exempt.
        package var perAddress = 1_000
        package var silent = 10_000

        package init() {}
    }

    private struct Counts {
        var total = 0
        var silent = 0
        var addresses: [String: Int] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let limits: Limits
    private let counts = NIOLockedValueBox(Counts())

    package init(limits: Limits) {
        self.limits = limits
    }

    /// Counts a connection in, or says why not. `address` is `nil` for a peer that is exempt.
    func enter(_ address: String?) -> RequestError? {
        self.counts.withLockedValue { counts in
            guard counts.total < self.limits.total else {
                return RequestError(.tooManyConnections, "the broker has all the connections it may have; try later")
            }
            if let address {
                let count = counts.addresses[address, default: 0]
                guard count < self.limits.perAddress else {
                    return RequestError(
                        .tooManyConnections,
                        "your address has \(count) connections, which is all it may have"
                    )
                }
                counts.addresses[address] = count + 1
            }
            counts.total += 1
            return nil
        }
    }

    func leave(_ address: String?) {
        let waiters = self.counts.withLockedValue { counts in
            counts.total -= 1
            if let address, let count = counts.addresses[address] {
                counts.addresses[address] = count > 1 ? count - 1 : nil
            }
            guard counts.total == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { counts.waiters = [] }
            return counts.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once there is no connection.
    package func untilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = self.counts.withLockedValue { counts in
                if counts.total > 0 { counts.waiters.append(continuation) }
                return counts.total == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Whether a connection may be silent for long: a person who has to think of something to type.
    func mayBeSilent() -> Bool {
        self.counts.withLockedValue { counts in
            guard counts.silent < self.limits.silent else { return false }
            counts.silent += 1
            return true
        }
    }

    func hasSpoken() {
        self.counts.withLockedValue { $0.silent -= 1 }
    }

    /// The address to count, `nil` for loopback.
    static func countedAddress(_ address: SocketAddress?) -> String? {
        guard let text = address?.ipAddress else { return nil }
        let isLoopback = text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
        return isLoopback ? nil : text
    }
}
