import NIOConcurrencyHelpers
package import RoomModel

/// Bounds how many connections there are, of all listeners together: in all, from one IP address, and of those that have not
/// said anything yet; and how fast one address may open them. In IPv6, a /64 counts as one address. Loopback and a peer
/// without an address are exempt from what holds for each address.
package final class ConnectionGate: Sendable {
    package struct Limits: Equatable, Sendable {
        package var total = Int.max
        package var perAddress = 1_000
        /// New connections a second from one address, after ten times as many at once.
        package var rate = 100
        package var silent = 10_000
        /// Connections that are refused and still being told why.
        package var refused = 1_000
        /// Files that connections may have open, with those that are refused; the rest is for the broker itself.
        package var files = Int.max
        /// The part of these that only HTTP may use, so that it is reached where all others are full.
        package var filesForHTTP = 0

        package init() {}

        /// Leaves files for the store, backups and the admin socket.
        ///
        /// - Parameters:
        ///   - limit: how many files the process may have open; `Int.max`: any number.
        ///   - loops: event loops; each has files of its own.
        package mutating func leaveFiles(of limit: Int, loops: Int) {
            guard limit < .max else { return }
            self.files = limit - min(Self.ownFiles + loops * Self.filesOfLoop, limit / 2)
            self.refused = min(self.refused, max(1, self.files / 32))
            let places = self.files - self.refused
            self.filesForHTTP = self.total > places ? min(64, places / 4) : 0
        }

        private static let ownFiles = 128
        private static let filesOfLoop = 4

        /// Connections that there can be at once.
        package func places(for side: Side) -> Int {
            guard self.files < .max else { return self.total }
            return min(self.total, self.files(for: side) - self.refused)
        }

        /// Sockets that there can be at once before a listener stops accepting.
        package func files(for side: Side) -> Int {
            self.files < .max && side == .rooms ? self.files - self.filesForHTTP : self.files
        }
    }

    /// The clients that a listener is for.
    package enum Side: Sendable {
        case rooms
        case http
    }

    package enum Admission: Equatable, Sendable {
        case admitted
        /// To be told, then closed.
        case refused(RequestError)
        /// To be closed without a word: enough others are being told already.
        case turnedAway
    }

    private struct Counts {
        var total = 0
        var silent = 0
        var refused = 0
        var addresses: [IPAddress: Int] = [:]
        /// `nil`: there is no limit.
        var meter: AddressRateLimiter?

        mutating func remove(_ network: IPAddress?) {
            guard let network, let count = self.addresses[network] else { return }
            self.addresses[network] = count > 1 ? count - 1 : nil
        }
    }

    private static let secondsAtOnce = 10
    private static let addressesMetered = 10_000

    package let limits: Limits
    private let counts: NIOLockedValueBox<Counts>
    private let open = OpenCount()

    package init(limits: Limits) {
        self.limits = limits
        var counts = Counts()
        if limits.rate < .max {
            counts.meter = AddressRateLimiter(
                interval: UInt64(1_000_000_000 / max(limits.rate, 1)),
                burst: min(limits.rate, 1_000_000_000) * Self.secondsAtOnce,
                capacity: Self.addressesMetered
            )
        }
        self.counts = NIOLockedValueBox(counts)
    }

    /// Counts a connection in, or says why not. `leave` has to follow in either case.
    ///
    /// - Parameter now: a monotonic time in nanoseconds.
    package func enter(_ peer: IPAddress?, side: Side = .rooms, now: UInt64) -> Admission {
        let network = Self.counted(peer)
        let admission = self.counts.withLockedValue { counts -> Admission in
            if let error = self.refusal(of: network, side, now: now, &counts) {
                guard counts.refused < self.limits.refused else { return .turnedAway }
                counts.refused += 1
                return .refused(error)
            }
            counts.total += 1
            if let network { counts.addresses[network, default: 0] += 1 }
            return .admitted
        }
        if admission == .admitted { self.open.opened() }
        return admission
    }

    /// The network that the peer's connections are counted for.
    private static func counted(_ peer: IPAddress?) -> IPAddress? {
        peer.flatMap { $0.isLoopback ? nil : $0.network }
    }

    private func refusal(of network: IPAddress?, _ side: Side, now: UInt64, _ counts: inout Counts) -> RequestError? {
        guard counts.total < self.limits.places(for: side) else {
            return RequestError(.tooManyConnections, Self.full, retryAfterMilliseconds: Self.retryTime)
        }
        guard let network else { return nil }
        let count = counts.addresses[network, default: 0]
        guard count < self.limits.perAddress else {
            return RequestError(
                .tooManyConnections,
                "your address has reached its limit of \(count) connections",
                retryAfterMilliseconds: Self.retryTime
            )
        }
        guard let wait = counts.meter?.take(network, now: now) else { return nil }
        return RequestError(
            .rateLimited,
            "your address opens more than \(self.limits.rate) connections a second; wait before the next one",
            retryAfterMilliseconds: max(wait, 1_000)
        )
    }

    /// Makes a connection of the HTTP side, which was admitted, one of the rooms. It counts for `client` from now on: the
    /// peer, or whom a proxy speaks for. `leave` has to follow for that address.
    ///
    /// - Returns: why it cannot be one; then it stays where it is.
    package func moveToRooms(_ peer: IPAddress?, as client: IPAddress?, now: UInt64) -> RequestError? {
        let (old, new) = (Self.counted(peer), Self.counted(client))
        return self.counts.withLockedValue { counts in
            counts.total -= 1  // its own place is free for it
            defer { counts.total += 1 }
            // it has come in under the address that it had
            if let error = self.refusal(of: old == new ? nil : new, .rooms, now: now, &counts) { return error }
            guard old != new else { return nil }
            counts.remove(old)
            if let new { counts.addresses[new, default: 0] += 1 }
            return nil
        }
    }

    private static let retryTime = 5_000
    package static let full = "the broker has reached its limit of connections; try again later"

    /// Counts a connection out.
    package func leave(_ peer: IPAddress?, _ admission: Admission) {
        self.counts.withLockedValue { counts in
            switch admission {
            case .turnedAway: break
            case .refused: counts.refused -= 1
            case .admitted:
                counts.total -= 1
                counts.remove(Self.counted(peer))
            }
        }
        if admission == .admitted { self.open.closed() }
    }

    /// Returns once there is no connection.
    package func untilEmpty() async { await self.open.untilNone() }

    /// Whether a connection may be silent for long: a person who has to think of something to type.
    package func mayBeSilent() -> Bool {
        self.counts.withLockedValue { counts in
            guard counts.silent < self.limits.silent else { return false }
            counts.silent += 1
            return true
        }
    }

    package func hasSpoken() {
        self.counts.withLockedValue { $0.silent -= 1 }
    }
}
