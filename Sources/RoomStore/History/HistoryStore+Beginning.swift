import GRDB
package import NIOCore
package import RoomCore

extension HistoryStore {
    /// The number of partitions that a history which nobody has open follows; `nil`: it follows none, or cannot be read.
    package static func followedPartitions(in directory: String) -> Int? {
        var configuration = Configuration()
        configuration.readonly = true
        let file = try? DatabaseQueue(path: "\(directory)/\(BackupStore.historyName)", configuration: configuration)
        return try? file?.read { db in
            try FollowedLog.isUsed(db) ? Int.fetchOne(db, sql: "SELECT count(*) FROM followed_log") : nil
        }
    }

    /// Has the file of a broker that ran alone follow the logs of a cluster's partitions, from their beginning.
    ///
    /// - Parameters:
    ///   - log: as in `ProjectedHistory.openPartition`.
    ///   - snapshots: makes that of each partition before its first record, in their order.
    /// - Throws: where nothing was changed: `EngineError.reset` where the file follows some logs already.
    package func beginPartitions(
        of log: String,
        _ snapshots: @escaping @Sendable (StoredLogs) throws -> [ByteBuffer]
    ) async throws(EngineError) {
        let result = await withCheckedContinuation { continuation in
            self.write(lane: .change) { db in
                try db.inSavepoint {
                    guard try !FollowedLog.isUsed(db) else { throw EngineError.reset }
                    let logs = StoredLogs(db: db, generation: self.supervisor.generation)
                    try FollowedLog.begin(db, of: log, try snapshots(logs))
                    return .commit
                }
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        try result.get()
    }
}
