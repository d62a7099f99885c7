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

    /// How often its full socket had taken what waited for it, when it was looked at last.
    private var socketProgress = 0

    /// So many intervals a client may take nothing before it is gone. Its system is there, or TCP would have ended.
    private static let intervalsWithoutReading = 10

    init(interval: TimeAmount, lastHeard: NIODeadline, kind: Kind) {
        self.interval = interval
        self.lastHeard = lastHeard
        self.kind = kind
    }

    enum Step: Equatable {
        /// Ping the client, and look again in this time.
        case ping(TimeAmount)
        case look(TimeAmount)
        case end
    }

    /// A client that has not asked for pings is not gone while it reads, however slowly: a ping is behind what it has not
    /// read.
    ///
    /// - Parameters:
    ///   - isBlocked: its socket is full.
    ///   - progress: how often its socket was full and has taken what waited.
    mutating func step(at now: NIODeadline, isBlocked: Bool = false, progress: Int = 0) -> Step {
        if case .asked = self.kind { return self.isDead(now, after: 2) ? .end : .ping(self.interval) }
        if progress != self.socketProgress {
            self.socketProgress = progress
            self.lastHeard = now
        }
        if isBlocked {
            return self.isDead(now, after: Self.intervalsWithoutReading) ? .end : .look(self.interval)
        }
        if case .unanswered = self.kind {
            self.lastHeard = now
            return .ping(self.interval)
        }
        let silence = now - self.lastHeard
        if self.isDead(now, after: 2) { return .end }
        if silence < self.interval { return .look(self.interval - silence) }
        return .ping(self.interval + self.interval - silence)
    }

    /// Nothing was heard for so many intervals: the network is dead.
    private func isDead(_ now: NIODeadline, after intervals: Int) -> Bool {
        self.lastHeard + self.interval * intervals <= now
    }
}
