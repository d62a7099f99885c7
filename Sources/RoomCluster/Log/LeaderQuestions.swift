import NIOCore

/// When a stream's leader is asked for the next record: where this node's own records do not come, its consumer may be on a server that is
/// cut off from the leader, and goes on saying that it is there. As long as the leader has records first, it is asked ten times a second.
///
/// Pure: what was heard comes in, with its time; whether to ask goes out.
struct LeaderQuestions {
    private var asked = NIODeadline.uptimeNanoseconds(0)
    /// Until then the leader is asked; `nil`: it is not.
    private var end: NIODeadline?
    /// The leader was ahead since it was doubted last.
    private var wasAhead = false

    private static let pause = TimeAmount.milliseconds(100)
    /// For so long after a doubt.
    private static let patience = TimeAmount.milliseconds(500)
    /// For so long after a record that the leader had first.
    private static let longestLag = TimeAmount.seconds(10)

    init() {}

    mutating func doubted(now: NIODeadline) {
        self.end = max(self.end ?? now, now + Self.patience)
        self.wasAhead = false
    }

    /// - Returns: whether to ask now.
    mutating func ticked(now: NIODeadline) -> Bool {
        guard let end, now - self.asked >= Self.pause else { return false }
        guard now <= end else {
            self.end = nil
            return false
        }
        self.asked = now
        return true
    }

    /// The leader had a record that had not come. It is to be asked for the next one at once.
    ///
    /// - Returns: whether that is news: then the consumer is to be made anew, perhaps on another server.
    mutating func leaderWasFirst(now: NIODeadline) -> Bool {
        defer { self.wasAhead = true }
        self.asked = now
        self.end = now + Self.longestLag
        return !self.wasAhead
    }

    /// The consumer is not behind.
    mutating func consumerWasFirst() { self.end = nil }
}
