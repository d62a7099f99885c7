import DequeModule

/// Bounds how many pages a shard asks of the store at a time; whoever comes later waits for a turn.
struct PageReads {
    private static let limit = 32

    private var active = 0
    private var waiting: Deque<Subscriber> = []

    /// Whether to read now; otherwise the subscriber's turn comes from `ended`.
    mutating func begin(_ subscriber: Subscriber) -> Bool {
        guard self.active < Self.limit else {
            self.waiting.append(subscriber)
            return false
        }
        self.active += 1
        return true
    }

    /// A read has ended; gives the one whose turn it is now.
    mutating func ended() -> Subscriber? {
        guard let next = self.waiting.popFirst() else {
            self.active -= 1
            return nil
        }
        return next
    }
}
