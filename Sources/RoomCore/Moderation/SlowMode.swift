/// When the authors of one room published last, as far back as its slow-mode looks.
struct SlowMode {
    private var last: [Author: UInt64] = [:]
    /// The changes by the batch that is being formed: it may not come to be.
    private var changes: [(author: Author, last: UInt64?)] = []
    private let capacity: Int

    /// - Parameter capacity: the most authors to remember; beyond it those who have waited longest may publish early.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Counts a message, if its author may publish one now.
    ///
    /// - Parameters:
    ///   - seconds: between two messages.
    ///   - now: a monotonic time in nanoseconds.
    /// - Returns: `nil` if it may; otherwise how many milliseconds to wait.
    mutating func take(_ author: Author, seconds: Int, now: UInt64) -> Int? {
        let interval = UInt64(seconds) * 1_000_000_000
        let earlier = self.last[author]
        if let earlier, earlier + interval > now { return Int((earlier + interval - now + 999_999) / 1_000_000) }
        if earlier == nil, self.last.count >= self.capacity { self.makeRoom(interval, now: now) }
        self.changes.append((author, earlier))
        self.last[author] = now
        return nil
    }

    private mutating func makeRoom(_ interval: UInt64, now: UInt64) {
        self.last = self.last.filter { $0.value + interval > now }
        guard self.last.count >= self.capacity else { return }
        // half of them, so that it is not to be done again with the next one
        let kept = self.last.sorted { $0.value > $1.value }.prefix(self.capacity / 2)
        self.last = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    mutating func batchBegins() {
        if !self.changes.isEmpty { self.changes.removeAll(keepingCapacity: true) }
    }

    /// Takes back the messages that the batch counted: they were not published.
    mutating func batchFailed() {
        for change in self.changes.reversed() { self.last[change.author] = change.last }
        self.changes = []
    }
}
