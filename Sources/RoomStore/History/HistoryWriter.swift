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
            let done = try self.transaction(jobs, file, generation)
            // A full disk takes a transaction that has nothing to write.
            if done.hasWritten { self.supervisor.succeeded() }
            for completion in done.completions {
                completion()
            }
            if done.commit.batches > 0 { self.observer?.committed(done.commit) }
            self.checkpoint(file, generation)
        } catch {
            let failure = StorageFailure(error)
            if failure == .refused, jobs.count > 1 {  // so that only the one that is refused fails
                for job in jobs {
                    self.commit([job], others: others)
                }
                return
            }
            self.supervisor.failed(error, generation: generation)
            for job in jobs {
                job.failed(failure.engineError)
            }
        }
    }

    private func checkpoint(_ file: HistoryFile, _ generation: Int) {
        do {
            try file.checkpointIfDue { self.supervisor.report($0, generation: generation) }
        } catch {
            self.supervisor.failed(error, generation: generation)
        }
    }

    private func transaction(_ jobs: [WriteJob], _ file: HistoryFile, _ generation: Int) throws -> Done {
        var done = Done()
        done.completions.reserveCapacity(jobs.count)
        let durability: Durability = jobs.contains { $0.durability == .power } ? .power : .process
        try file.checkPlaces(now: self.supervisor.now())
        let start = DispatchTime.now().uptimeNanoseconds
        done.hasWritten = try file.transaction(durability) { db in
            for job in jobs {
                do {
                    guard job.isMeant(for: generation) else { throw EngineError.reset }
                    done.completions.append(try job.work(db))
                    done.commit.add(job)
                } catch let error as EngineError {
                    done.completions.append { job.failed(error) }
                }
            }
        }
        done.commit.nanoseconds = DispatchTime.now().uptimeNanoseconds - start
        return done
    }

    /// The result of one transaction.
    private struct Done {
        /// In the order of the jobs.
        var completions: [@Sendable () -> Void] = []
        var hasWritten = false
        var commit = ObservedCommit(batches: 0, entries: 0, bytes: 0, nanoseconds: 0)
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
