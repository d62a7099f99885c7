/// The state of the user's own messages, and whether the chat can be left without losing one. Pure.
struct Delivery: Equatable, Sendable {
    /// Not acknowledged yet.
    private(set) var unsettled = 0
    private(set) var refused = 0
    /// The user wants to go.
    private(set) var isLeaving = false
    /// The highest `seq` among the user's acknowledged messages, and among those that the room has brought.
    private var acknowledged: UInt64 = 0
    private var seen: UInt64 = 0
    private var patience = 3

    mutating func submitted() { self.unsettled += 1 }

    mutating func settled(seq: UInt64?) {
        self.unsettled -= 1
        if let seq { self.acknowledged = max(self.acknowledged, seq) } else { self.refused += 1 }
    }

    mutating func saw(_ seq: UInt64) { self.seen = max(self.seen, seq) }

    /// The room begins anew, and nothing of before is shown any more.
    mutating func cleared() { (self.acknowledged, self.seen) = (0, 0) }

    /// - Returns: whether the user had said so before.
    mutating func leave() -> Bool {
        defer { self.isLeaving = true }
        return self.isLeaving
    }

    /// A second has gone by.
    mutating func tick() {
        if self.isLeaving, self.unsettled == 0, self.patience > 0 { self.patience -= 1 }
    }

    /// Everything is acknowledged and has been shown; what the room does not bring in time is not waited for.
    var canLeave: Bool {
        self.isLeaving && self.unsettled == 0 && (self.seen >= self.acknowledged || self.patience == 0)
    }
}
