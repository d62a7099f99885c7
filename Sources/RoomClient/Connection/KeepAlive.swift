import NIOCore

/// Detects a dead network: after an interval without data it orders a ping, after another one it gives up.
struct KeepAlive: Equatable {
    enum Order: Equatable {
        /// Look again then.
        case wait(until: NIODeadline)
        /// Send a ping, and look again then.
        case ping(until: NIODeadline)
        case giveUp
    }

    private let interval: TimeAmount
    private var lastHeard: NIODeadline
    private var hasAsked = false

    init(interval: TimeAmount, now: NIODeadline) {
        self.interval = interval
        self.lastHeard = now
    }

    /// Anything was read.
    mutating func heard(now: NIODeadline) {
        self.lastHeard = now
        self.hasAsked = false
    }

    mutating func look(now: NIODeadline) -> Order {
        let silentAt = self.lastHeard + self.interval
        if now < silentAt { return .wait(until: silentAt) }
        if self.hasAsked { return .giveUp }
        self.hasAsked = true
        self.lastHeard = now
        return .ping(until: now + self.interval)
    }
}
