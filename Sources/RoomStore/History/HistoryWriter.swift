import GRDB
import RoomCore
import RoomModel

/// Stores jobs, as many as there are in one transaction. Runs on the store's queue.
struct HistoryWriter: Sendable {
    let keeper: HistoryKeeper

    /// Calls the completions after COMMIT, in the order of the jobs.
    func commit(_ jobs: [WriteJob]) {
        guard let (file, generation) = self.keeper.openedFile() else {
            for job in jobs {
                job.failed(job.isMeant(for: self.keeper.generation) ? .unavailable : .reset)
            }
            return
        }
        do {
            let completions = try self.transaction(jobs, file, generation)
            self.keeper.succeeded()
            for completion in completions {
                completion()
            }
            self.checkpoint(file, generation)
        } catch {
            let failure = StorageFailure(error)
            if failure == .refused, jobs.count > 1 {  // so that only the one that is refused fails
                for job in jobs {
                    self.commit([job])
                }
                return
            }
            self.keeper.failed(error, generation: generation)
            for job in jobs {
                job.failed(failure.engineError)
            }
        }
    }

    private func checkpoint(_ file: HistoryFile, _ generation: Int) {
        do {
            try file.checkpointIfDue { self.keeper.report($0, generation: generation) }
        } catch {
            self.keeper.failed(error, generation: generation)
        }
    }

    private func transaction(
        _ jobs: [WriteJob],
        _ file: HistoryFile,
        _ generation: Int
    ) throws -> [@Sendable () -> Void] {
        var completions: [@Sendable () -> Void] = []
        completions.reserveCapacity(jobs.count)
        let durability: Durability = jobs.contains { $0.durability == .power } ? .power : .process
        try file.transaction(durability) { db in
            for job in jobs {
                do {
                    guard job.isMeant(for: generation) else { throw EngineError.reset }
                    completions.append(try job.work(db))
                } catch let error as EngineError {
                    completions.append { job.failed(error) }
                }
            }
        }
        return completions
    }
}

extension WriteJob {
    fileprivate func isMeant(for generation: Int) -> Bool {
        self.generation == nil || self.generation == generation
    }
}
