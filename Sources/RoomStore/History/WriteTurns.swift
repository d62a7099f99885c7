import DequeModule
import RoomCore

/// Jobs of one kind that wait for a transaction, in the order of the turns of those who have caused them: deficit round
/// robin, and beside it, as with the flows of RFC 8290 §4.2, a first share at once for those who had nothing waiting. So
/// a client that publishes little is in the next transaction, however much of others waits.
struct WriteTurns {
    /// Bytes that one payer gets stored before the others have had their turn.
    static let quantum = 16_384
    /// Bytes that a job costs beside its messages: at least one page.
    static let page = 4_096

    private struct Flow {
        var jobs: Deque<WriteJob> = []
        var credit = quantum
    }

    private var flows: [LogBatch.Payer?: Flow] = [:]
    /// Those who had nothing waiting before.
    private var new: Deque<LogBatch.Payer?> = []
    /// The others; one of them may have nothing waiting any more.
    private var old: Deque<LogBatch.Payer?> = []
    /// The only job, where no other waits: it needs no turn. Mostly the store is faster than those who publish.
    private var single: WriteJob?
    private(set) var count = 0

    func waiting(of payer: LogBatch.Payer?) -> Int {
        if let single { return single.payer == payer ? 1 : 0 }
        return self.flows[payer]?.jobs.count ?? 0
    }

    mutating func append(_ job: WriteJob) {
        self.count += 1
        if self.count == 1 {
            self.single = job
            return
        }
        if let single = self.single.take() { self.line(up: single) }
        self.line(up: job)
    }

    private mutating func line(up job: WriteJob) {
        if self.flows[job.payer] == nil { self.new.append(job.payer) }
        self.flows[job.payer, default: Flow()].jobs.append(job)
    }

    /// Takes out the job whose turn it is.
    mutating func popFirst() -> WriteJob? {
        guard self.count > 0 else { return nil }
        if let single = self.single.take() {
            self.count = 0
            return single
        }
        while let payer = self.new.first ?? self.old.first {
            let isNew = !self.new.isEmpty
            let hasJobs = self.flows[payer]?.jobs.isEmpty == false
            let hasCredit = self.flows[payer].map { $0.credit > 0 } ?? false
            if hasJobs, hasCredit { return self.takeJob(of: payer) }
            if isNew { self.new.removeFirst() } else { self.old.removeFirst() }
            if !hasJobs, !isNew {
                self.flows[payer] = nil
            } else {
                // one that was new waits for a round before it is new again
                self.old.append(payer)
                if !hasCredit { self.flows[payer]?.credit += Self.quantum }
            }
        }
        return nil
    }

    private mutating func takeJob(of payer: LogBatch.Payer?) -> WriteJob? {
        guard let job = self.flows[payer]?.jobs.popFirst() else { return nil }
        self.flows[payer]?.credit -= job.bytes + Self.page
        self.count -= 1
        // nobody waits: nobody is behind
        if self.count == 0 { self = WriteTurns() }
        return job
    }
}

/// The same, and among them jobs that wait for all that came before.
struct OrderedWriteTurns {
    private var closed: Deque<(turns: WriteTurns, job: WriteJob)> = []
    private var open = WriteTurns()

    var count: Int { self.open.count + self.closed.reduce(0) { $0 + $1.turns.count + 1 } }
    var isEmpty: Bool { self.open.count == 0 && self.closed.isEmpty }

    func waiting(of payer: LogBatch.Payer?) -> Int {
        self.open.waiting(of: payer) + self.closed.reduce(0) { $0 + $1.turns.waiting(of: payer) }
    }

    mutating func append(_ job: WriteJob) {
        guard job.waitsForAppends else { return self.open.append(job) }
        self.closed.append((self.open, job))
        self.open = WriteTurns()
    }

    mutating func popFirst() -> WriteJob? {
        guard !self.closed.isEmpty else { return self.open.popFirst() }
        return self.closed[0].turns.popFirst() ?? self.closed.popFirst()?.job
    }
}
