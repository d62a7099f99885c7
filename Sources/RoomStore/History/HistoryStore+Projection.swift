import GRDB
import Logging
import NIOCore
package import RoomCore
import RoomModel

extension HistoryStore: ProjectedHistory {
    package func openPartition(
        _ partition: Int,
        of log: String,
        completion: @escaping @Sendable (Result<ProjectedPartition, ProjectionError>) -> Void
    ) {
        self.write(lane: .change) { db in
            try FollowedLog.open(db, partition, of: log, generation: self.supervisor.generation)
        } completion: { result in
            completion((try? result.get()) ?? .failure(.unavailable))
        }
    }

    package func store(
        _ write: ProjectionWrite,
        completion: @escaping @Sendable (Result<Void, EngineError>) -> Void
    ) {
        let job = WriteJob(
            generation: write.generation,
            lane: .log,
            durability: .process,
            entries: write.changes.reduce(0) { $0 + $1.entries.count },
            bytes: write.bytes + (write.snapshot?.readableBytes ?? 0),
            storesMessages: write.changes.contains { $0.entries.contains { $0.kind.isMessage } }
        ) { db in
            // Others are in the transaction, too: what is refused halfway must not stay in it.
            try db.inSavepoint {
                try FollowedLog.store(write, db)
                return .commit
            }
            return { completion(.success(())) }
        } failed: { error in
            if error == .reset { self.historyLost(of: write) }
            completion(.failure(error))
        }
        self.submit(job)
    }

    private func historyLost(of write: ProjectionWrite) {
        self.logger.critical(
            "the history does not end where the log goes on: this partition's history has to be made anew",
            metadata: [
                "partition": "\(write.partition)", "after": "\(write.after?.rawValue ?? 0)",
                "through": "\(write.through.rawValue)",
            ]
        )
    }
}
