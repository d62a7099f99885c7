import NIOCore

/// A client that is pinged: how often, and when it was last heard.
struct Heartbeat {
    /// The intervals that a client may ask for, in seconds.
    static let bounds = 1...3_600

    var interval: TimeAmount
    var lastHeard: NIODeadline
    var kind: Kind

    enum Kind {
        /// The client asked for a `ping` frame at each interval, and answers it.
        case asked
        /// The client is pinged when it was silent for an interval, and answers that.
        case ofSilence
        /// Something is written at each interval, which nobody answers.
        case unanswered
    }

    enum Step: Equatable {
        /// Ping the client, and look again in this time.
        case ping(TimeAmount)
        case look(TimeAmount)
        case end
    }

    func step(at now: NIODeadline) -> Step {
        let silence = now - self.lastHeard
        if self.isDead(now) { return .end }
        if self.kind != .ofSilence { return .ping(self.interval) }
        if silence < self.interval { return .look(self.interval - silence) }
        return .ping(self.interval + self.interval - silence)
    }

    /// Nothing was heard for two intervals: the network is dead.
    func isDead(_ now: NIODeadline) -> Bool {
        self.kind != .unanswered && self.lastHeard + self.interval + self.interval <= now
    }
}
