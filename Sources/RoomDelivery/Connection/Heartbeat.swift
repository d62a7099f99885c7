import NIOCore

/// A client that is pinged: how often, and when it was last heard.
struct Heartbeat {
    /// The intervals that a client may ask for, in seconds.
    static let bounds = 1...3_600

    var interval: TimeAmount
    var lastHeard: NIODeadline
    /// The client asked for a `ping` frame at each interval. Otherwise it is pinged when it was silent for one.
    var isAsked: Bool

    enum Step: Equatable {
        /// Ping the client, and look again in this time.
        case ping(TimeAmount)
        case look(TimeAmount)
        case end
    }

    func step(at now: NIODeadline) -> Step {
        let silence = now - self.lastHeard
        if self.isDead(now) { return .end }
        if self.isAsked { return .ping(self.interval) }
        if silence < self.interval { return .look(self.interval - silence) }
        return .ping(self.interval + self.interval - silence)
    }

    /// Nothing was heard for two intervals: the network is dead.
    func isDead(_ now: NIODeadline) -> Bool {
        self.lastHeard + self.interval + self.interval <= now
    }
}
