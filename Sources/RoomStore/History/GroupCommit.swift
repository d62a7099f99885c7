import Dispatch
import NIOConcurrencyHelpers
import RoomCore

/// Gathers jobs while a transaction is under way, and gives the next transaction as many of them as it may take: the busier
/// the store, the larger its transactions, without any delay while it is idle.
///
/// `submit` is called on any thread and never blocks; everything else happens on the one queue, in order.
final class GroupCommit: Sendable {
    private struct Pending {
        var jobs = WriteQueue()
        /// Whether the queue is going to take the jobs.
        var isScheduled = false
        var isClosed = false
    }

    private enum Submission {
        case schedule
        case wait
        case refuse
    }

    private let queue: DispatchQueue
    private let pending = NIOLockedValueBox(Pending())
    private let commit: Commit

    /// Stores the jobs and calls their completions. Where no job can be stored now it fails them, and with them all others
    /// that wait, which `others` takes.
    typealias Commit = @Sendable (_ jobs: [WriteJob], _ others: () -> [WriteJob]) -> Void

    /// `commit` is called on the queue.
    init(on queue: DispatchQueue, commit: @escaping Commit) {
        self.queue = queue
        self.commit = commit
    }

    func submit(_ job: WriteJob) {
        let submission = self.pending.withLockedValue { pending in
            guard !pending.isClosed else { return Submission.refuse }
            guard pending.jobs.append(job) else { return .refuse }
            guard !pending.isScheduled else { return .wait }
            pending.isScheduled = true
            return .schedule
        }
        switch submission {
        case .schedule: self.queue.async { self.commitGathered() }
        case .wait: break
        case .refuse: self.queue.async { job.failed(.unavailable) }
        }
    }

    /// Refuses what comes from now on, commits what is there, then calls `closed` on the queue.
    func close(_ closed: @escaping @Sendable () -> Void) {
        self.pending.withLockedValue { $0.isClosed = true }
        self.queue.async {
            while case let jobs = self.takeJobs(), !jobs.isEmpty { self.commit(jobs, self.takeAll) }
            closed()
        }
    }

    private func commitGathered() {
        let jobs = self.takeJobs()
        guard !jobs.isEmpty else { return }
        self.commit(jobs, self.takeAll)
        // Not a loop: work between transactions gets its turn.
        self.queue.async { self.commitGathered() }
    }

    private func takeJobs() -> [WriteJob] {
        self.pending.withLockedValue { pending in
            let jobs = pending.jobs.take()
            pending.isScheduled = !jobs.isEmpty
            return jobs
        }
    }

    private func takeAll() -> [WriteJob] { self.pending.withLockedValue { $0.jobs.takeAll() } }
}
