import DequeModule

/// The reads that wait, and which of them is next: those who ask take turns, each with one read at a time, so that it does
/// not matter to the others how many somebody has waiting. Long reads have a place of their own.
package struct ReadTurns<Asker: Hashable, Job> {
    /// At a time, of all that are short.
    private let limit: Int
    private static var mostBefore: Int { 100 }
    /// The waiting jobs of each asker, the oldest first.
    private var jobs: [Asker: Deque<Job>] = [:]
    /// Those who have a job waiting and none under way.
    private var turns: Deque<Asker> = []
    private var active: Set<Asker> = []
    private var long: Deque<Job> = []
    /// Short ones that have begun since a long one waits.
    private var begun = 0
    private var isLongActive = false

    package init(limit: Int) {
        self.limit = limit
    }

    /// Those that are short and wait.
    package private(set) var waiting = 0

    package func waiting(of asker: Asker) -> Int { self.jobs[asker]?.count ?? 0 }

    package mutating func add(_ job: Job, of asker: Asker) {
        self.waiting += 1
        if self.jobs[asker] == nil, !self.active.contains(asker) { self.turns.append(asker) }
        self.jobs[asker, default: []].append(job)
    }

    package mutating func addLong(_ job: Job) {
        if self.long.isEmpty { self.begun = 0 }
        self.long.append(job)
    }

    /// Takes the job that may begin now. `ended` has to follow.
    package mutating func next() -> (asker: Asker, job: Job)? {
        guard self.active.count < self.limit, let asker = self.turns.popFirst(), let job = self.jobs[asker]?.popFirst()
        else { return nil }
        if self.jobs[asker]?.isEmpty ?? false { self.jobs[asker] = nil }
        self.active.insert(asker)
        self.waiting -= 1
        self.begun += 1
        return (asker, job)
    }

    package mutating func ended(_ asker: Asker) {
        self.active.remove(asker)
        if self.jobs[asker] != nil { self.turns.append(asker) }
    }

    /// Takes the long job that may begin now: one at a time, and while nothing short waits, or so many have passed it.
    /// `longEnded` has to follow.
    package mutating func nextLong() -> Job? {
        guard !self.isLongActive, self.waiting == 0 || self.begun >= Self.mostBefore, let job = self.long.popFirst()
        else { return nil }
        self.isLongActive = true
        self.begun = 0
        return job
    }

    package mutating func longEnded() {
        self.isLongActive = false
    }
}

extension ReadTurns: Sendable where Asker: Sendable, Job: Sendable {}
