/// When the authors of one room published last, as far back as its slow-mode looks.
struct SlowMode: Equatable {
    private var last: [Author: Publish] = [:]
    /// The changes by the batch that is being formed: it may not come to be.
    private var changes: [Change] = []
    private let capacity: Int
    /// The messages that were counted.
    private var count: UInt64 = 0

    private struct Publish: Equatable {
        var time: Int64
        /// Tells which of two at the same time was later, in every process.
        var number: UInt64
    }

    private struct Change: Equatable {
        var author: Author
        var last: Publish?
    }

    /// - Parameter capacity: the most authors to remember; beyond it those who have waited longest may publish early.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Counts a message, if its author may publish one now.
    ///
    /// - Parameters:
    ///   - seconds: between two messages.
    ///   - now: `RoomTurn.steadyMilliseconds`.
    /// - Returns: `nil` if it may; otherwise how many milliseconds to wait.
    mutating func take(_ author: Author, seconds: Int, now: Int64) -> Int? {
        let interval = Int64(seconds) * 1_000
        let earlier = self.last[author]
        if let earlier, earlier.time + interval > now { return Int(earlier.time + interval - now) }
        if earlier == nil, self.last.count >= self.capacity { self.makeRoom(interval, now: now) }
        self.changes.append(Change(author: author, last: earlier))
        self.count += 1
        self.last[author] = Publish(time: now, number: self.count)
        return nil
    }

    private mutating func makeRoom(_ interval: Int64, now: Int64) {
        self.last = self.last.filter { $0.value.time + interval > now }
        guard self.last.count >= self.capacity else { return }
        // half of them, so that it is not to be done again with the next one
        let kept = self.last.sorted { $0.value.number > $1.value.number }.prefix(self.capacity / 2)
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
