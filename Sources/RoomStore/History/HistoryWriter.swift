import Dispatch
import GRDB
import RoomCore
import RoomModel

/// Stores jobs, as many as there are in one transaction. Runs on the store's queue.
struct HistoryWriter: Sendable {
    let supervisor: HistorySupervisor
    let observer: (any CommitObserver)?

    /// Calls the completions after COMMIT, in the order of the jobs.
    ///
    /// - Parameter others: takes those that wait: where the file cannot be opened, all fail with the one attempt.
    func commit(_ jobs: [WriteJob], others: () -> [WriteJob]) {
        guard let (file, generation) = self.supervisor.openedFile() else {
            let refusal = self.supervisor.refusal
            for job in jobs + others() {
                job.failed(job.isMeant(for: self.supervisor.generation) ? refusal : .reset)
            }
            return
        }
        do {
            let failures = self.supervisor.failures
            let done = try self.transaction(jobs, file, generation)
            if let place = done.place, let syncs = file.syncs, !done.synced.isEmpty {
                self.complete(done.others)
                self.sync(done.synced, through: place, syncs, generation, failures)
            } else {
                // First of all: whoever is told finds the store writable. A full disk takes a transaction that has nothing to write.
                if done.place != nil { self.supervisor.succeeded(after: failures) }
                self.complete(done.others)
                self.complete(done.synced)
            }
            self.checkpoint(file, generation)
        } catch {
            let failure = StorageFailure(error)
            if failure == .refused, jobs.count > 1 {  // so that only the one that is refused fails
                for job in jobs {
                    self.commit([job], others: others)
                }
                return
            }
            if self.supervisor.failed(error, generation: generation) { return self.commit(jobs, others: others) }
            for job in jobs {
                job.failed(failure.engineError)
            }
        }
    }

    private func checkpoint(_ file: HistoryFile, _ generation: Int) {
        do {
            let reserve = self.supervisor.reserve
            try file.checkpointIfDue(pagesBetween: reserve.pagesBetweenCheckpoints, isFull: reserve.isGivenUp) {
                self.supervisor.report($0, generation: generation)
            }
        } catch {
            self.supervisor.failed(error, generation: generation)
        }
    }

    /// The completions of these jobs wait until what is committed is on the disk; commits go on meanwhile.
    private func sync(
        _ group: Group,
        through place: CommitPlace,
        _ syncs: CommitSyncs,
        _ generation: Int,
        _ failures: Int
    ) {
        syncs.sync(place) { result in
            switch result {
            case .success:
                self.supervisor.succeeded(after: failures)
                self.complete(group)
            case .failure(let error):
                self.supervisor.queue.async {
                    // First of all: whoever is told opens the room again.
                    self.supervisor.failed(error, generation: generation)
                    for job in group.jobs { job.failed(StorageFailure(error).engineError) }
                }
            }
        }
    }

    private func complete(_ group: Group) {
        for completion in group.completions { completion() }
        guard let observer, group.commit.batches > 0 else { return }
        var commit = group.commit
        commit.nanoseconds = DispatchTime.now().uptimeNanoseconds - group.start
        observer.committed(commit)
    }

    private func transaction(_ jobs: [WriteJob], _ file: HistoryFile, _ generation: Int) throws -> Done {
        try file.checkPlaces(now: self.supervisor.now())
        var done = Done()
        done.place = try file.transaction { db in
            let admitsMessages = try self.supervisor.reserve.admitsMessages(now: self.supervisor.now()) {
                try Int64.fetchOne(db, sql: "PRAGMA freelist_count").map { $0 * Int64(CheckpointTurns.pageBytes) } ?? 0
            }
            for job in jobs {
                do {
                    guard job.isMeant(for: generation) else { throw EngineError.reset }
                    guard admitsMessages || !job.storesMessages else { throw EngineError.full }
                    let completion = try job.work(db)
                    // asked for whatever the job's durability: it is not to stay for the next one
                    let isSynced = file.takeSyncOfJob() || job.durability == .power
                    if isSynced { done.synced.add(job, completion) } else { done.others.add(job, completion) }
                } catch let error as EngineError {
                    _ = file.takeSyncOfJob()
                    done.others.completions.append { job.failed(error) }
                }
            }
        }
        return done
    }

    /// The result of one transaction.
    private struct Done {
        /// `nil`: nothing was written.
        var place: CommitPlace?
        /// They have to be on the disk.
        var synced = Group()
        /// They have to survive the process.
        var others = Group()
    }

    /// Jobs of one transaction that are completed together.
    private struct Group {
        let start = DispatchTime.now().uptimeNanoseconds
        var jobs: [WriteJob] = []
        /// In the order of the jobs.
        var completions: [@Sendable () -> Void] = []
        var commit = ObservedCommit(batches: 0, entries: 0, bytes: 0, nanoseconds: 0)

        var isEmpty: Bool { self.completions.isEmpty }

        mutating func add(_ job: WriteJob, _ completion: @escaping @Sendable () -> Void) {
            self.jobs.append(job)
            self.completions.append(completion)
            self.commit.add(job)
        }
    }
}

extension ObservedCommit {
    fileprivate mutating func add(_ job: WriteJob) {
        guard job.entries > 0 else { return }
        self.batches += 1
        self.entries += job.entries
        self.bytes += job.bytes
    }
}

extension WriteJob {
    fileprivate func isMeant(for generation: Int) -> Bool {
        self.generation == nil || self.generation == generation
    }
}
