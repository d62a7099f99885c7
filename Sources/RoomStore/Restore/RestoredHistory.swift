import GRDB

/// A history file that takes the place of another.
enum RestoredHistory {
    /// Gives every log another epoch: what was given out after the backup was made is gone, and its `seq` are given out
    /// again. Not where they follow the log of a cluster, which has what came after.
    ///
    /// - Parameter leavesCluster: a log of a cluster is not followed any more.
    static func prepare(_ path: String, leavesCluster: Bool) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { db in
            if leavesCluster { try FollowedLog.end(db) }
            if try !FollowedLog.isUsed(db) { try self.beginEpochs(db) }
            // Closed in order: what the next start would do for a copy is done already.
            try db.execute(sql: "UPDATE meta SET is_clean = 1, file_id = lower(hex(randomblob(16)))")
        }
        try database.close()
    }

    private static func beginEpochs(_ db: Database) throws {
        try db.execute(sql: "UPDATE room SET epoch = random()")
        // One by an earlier release has none yet.
        if try db.columns(in: "meta").contains(where: { $0.name == "epoch_seed" }) { try EpochSeed.change(db) }
    }
}
