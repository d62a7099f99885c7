import GRDB
import GRDBSQLite
import Synchronization

/// Moves committed pages from the `-wal` into the database file, each time that some have been written.
///
/// SQLite would do it by itself inside the COMMIT that exceeds the limit, and, as long as a reader keeps an old snapshot,
/// inside every COMMIT after that. Here it is done after the completions, and only once for so many pages. (Measured
/// against a checkpoint on a connection of its own beside the commits: that was no faster and had longer stalls.)
struct Checkpointer: ~Copyable {
    /// 4 MiB.
    private static let pagesBetween: UInt32 = 1_000

    private let pagesWritten = Mutex<UInt32>(0)

    /// To be called on the writer's connection between two transactions. Returns how many pages are in the `-wal`, if it
    /// looked.
    func checkpointIfDue(_ db: Database) throws -> Int {
        let pages = Self.pagesWritten(db)
        let isDue = self.pagesWritten.withLock { last in
            guard pages &- last >= Self.pagesBetween else { return false }
            last = pages
            return true
        }
        guard isDue else { return 0 }
        do {
            return try db.checkpoint(.passive).walFrameCount
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return 0  // somebody else's checkpoint is under way: the next one will do
        }
    }

    /// How many pages the connection has written since it was opened; wraps round.
    private static func pagesWritten(_ db: Database) -> UInt32 {
        var current: CInt = 0
        var highest: CInt = 0
        sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return UInt32(bitPattern: current)
    }
}
