import GRDB
import RoomCore

extension HistoryStore {
    /// Whether a transaction can be committed now. It writes, for a disk that is full shows in nothing less.
    package func isWritable() async -> Bool {
        await withCheckedContinuation { continuation in
            self.write { db -> Void in
                // the value that it has: the page is written all the same
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                try db.execute(sql: "PRAGMA user_version = \(version)")
            } completion: { result in
                continuation.resume(returning: (try? result.get()) != nil)
            }
        }
    }
}
