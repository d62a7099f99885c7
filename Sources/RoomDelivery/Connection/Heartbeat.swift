import NIOCore

/// A client that asked to be pinged: how often, and when it was last heard.
struct Heartbeat {
    /// The intervals that a client may ask for, in seconds.
    static let bounds = 1...3_600

    var interval: TimeAmount
    var lastHeard: NIODeadline

    /// Nothing was heard for two intervals: the network is dead.
    func isDead(_ now: NIODeadline) -> Bool {
        self.lastHeard + self.interval + self.interval <= now
    }
}
