import RoomModel

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

// MARK: As bytes

/// The part of a room's bytes that says when the authors of a room published last, those first who have waited longest.
extension SlowMode {
    func write(to writer: inout RecordWriter) {
        writer.write(self.count)
        writer.write(count: self.last.count)
        for (author, publish) in self.last.sorted(by: { $0.value.number < $1.value.number }) {
            writer.write(author)
            writer.write(UInt64(bitPattern: publish.time))
            writer.write(publish.number)
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        self.init()
        self.count = UInt64(try reader.count("messages in slow mode", of: 1 << 62))
        var last: UInt64 = 0
        for _ in 0..<(try reader.count("number of authors", of: UInt64(reader.left))) {
            let (author, time): (Author, Int64) = (try reader.read("author"), try reader.time("time of an author"))
            let number = try reader.number("number of an author's message")
            guard last < number, number <= self.count else {
                throw reader.error("number of an author's message", .invalid("not in ascending order"))
            }
            self.last[author] = Publish(time: time, number: number)
            last = number
        }
    }
}
