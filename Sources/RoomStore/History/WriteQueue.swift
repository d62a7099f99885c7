import DequeModule
import RoomCore

/// The jobs that wait for a transaction, and which of them are next: a transaction takes a bounded amount, whoever has
/// how much waiting, so that the flood of one is not what the others wait for.
struct WriteQueue {
    /// Jobs of a kind wait for each other only.
    enum Lane {
        /// An append to a log that is stored. A room has one at a time.
        case log
        /// The append that begins a log, which costs most.
        case newLog
        /// What nobody waits for.
        case upkeep
        /// What comes before it is stored before it, and what comes after it after it.
        case barrier
    }

    /// The most that one transaction takes.
    static let logs = 256
    static let newLogs = 32
    static let bytes = 1 << 20
    /// More that begin a log are refused.
    static let mostNewLogs = 10_000

    /// What lies between two barriers.
    private struct Segment {
        var logs: Deque<WriteJob> = []
        var newLogs: Deque<WriteJob> = []
        var others: Deque<WriteJob> = []

        var isEmpty: Bool { self.logs.isEmpty && self.newLogs.isEmpty && self.others.isEmpty }
    }

    private var segments: Deque<Segment> = [Segment()]
    private var newLogs = 0

    var isEmpty: Bool { self.segments.count == 1 && self.segments[0].isEmpty }

    /// - Returns: false where too many of the kind wait already.
    mutating func append(_ job: WriteJob) -> Bool {
        let last = self.segments.count - 1
        switch job.lane {
        case .log: self.segments[last].logs.append(job)
        case .newLog:
            guard self.newLogs < Self.mostNewLogs else { return false }
            self.newLogs += 1
            self.segments[last].newLogs.append(job)
        case .upkeep: self.segments[last].others.append(job)
        case .barrier:
            if self.segments[last].isEmpty { self.segments.removeLast() }
            self.segments.append(Segment(others: [job]))
            self.segments.append(Segment())
        }
        return true
    }

    /// Takes what the next transaction is to store.
    mutating func take() -> [WriteJob] {
        var jobs: [WriteJob] = []
        var bytes = 0
        while jobs.count < Self.logs, bytes < Self.bytes, let job = self.segments[0].logs.popFirst() {
            jobs.append(job)
            bytes += job.bytes
        }
        for count in 0..<Self.newLogs {
            guard count == 0 || bytes < Self.bytes, let job = self.segments[0].newLogs.popFirst() else { break }
            self.newLogs -= 1
            jobs.append(job)
            bytes += job.bytes
        }
        if let job = self.segments[0].others.popFirst() { jobs.append(job) }
        if self.segments[0].isEmpty, self.segments.count > 1 { self.segments.removeFirst() }
        return jobs
    }
}
