import NIOCore

/// Detects a dead network: after an interval without data it orders a ping, after another one it gives up.
struct KeepAlive: Equatable {
    enum Order: Equatable {
        /// Look again then.
        case wait(until: NIODeadline)
        /// Send a ping, and look again then.
        case ping(until: NIODeadline)
        /// Nothing has been read for so long.
        case giveUp(after: TimeAmount)
    }

    private let interval: TimeAmount
    private var lastHeard: NIODeadline
    /// The end of the time for an answer to the ping; `nil` if none is awaited.
    private var deadline: NIODeadline?

    init(interval: TimeAmount, now: NIODeadline) {
        self.interval = interval
        self.lastHeard = now
    }

    /// Anything was read.
    mutating func heard(now: NIODeadline) {
        self.lastHeard = now
        self.deadline = nil
    }

    mutating func look(now: NIODeadline) -> Order {
        let next = self.deadline ?? self.lastHeard + self.interval
        if now < next { return .wait(until: next) }
        return self.deadline == nil ? self.ask(self.interval, now: now) : .giveUp(after: now - self.lastHeard)
    }

    /// Asks at once, whatever was read before. A ping that is under way may have been sent into a dead connection; the time for
    /// its answer gets no longer.
    mutating func probe(within time: TimeAmount, now: NIODeadline) -> Order {
        self.ask(min(time, self.interval), now: now)
    }

    private mutating func ask(_ time: TimeAmount, now: NIODeadline) -> Order {
        let deadline = min(self.deadline ?? .distantFuture, now + time)
        self.deadline = deadline
        return .ping(until: deadline)
    }
}
