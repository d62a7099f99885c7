import GRDB
import GRDBSQLite
import Synchronization

/// Moves committed pages from the `-wal` into the database file, so that commits hardly wait for it.
///
/// A checkpoint copies pages and syncs twice; on the writer's connection that stalls every commit. So the bulk is done on
/// a connection of its own while commits go on. What they add meanwhile is little, and the writer does that itself
/// between two transactions: only a complete checkpoint lets SQLite begin the `-wal` anew, which bounds its size.
final class Checkpointer: Sendable {
    /// 16 MiB.
    private static let pagesBetween: UInt32 = 1_000_000_000

    private enum Phase {
        /// Can transition to: `copying`, when enough pages were written since this many.
        case idle(pagesWritten: UInt32)
        /// The other connection is at work. Can transition to: `copied`.
        case copying
        /// Can transition to: `idle`, when the writer has done the rest.
        case copied
    }

    private enum Turn {
        case nothing
        case copy
        case finish
    }

    private let connection: DatabaseQueue
    private let phase = Mutex(Phase.idle(pagesWritten: 0))

    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "roomline.history.checkpoint"
        configuration.prepareDatabase { try HistoryFile.keepWAL($0) }
        self.connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// To be called after each commit, on the writer's connection. `failed` may be called on another thread.
    func committed(_ db: Database, failed: @escaping @Sendable (any Error) -> Void) {
        let pages = Self.pagesWritten(db)
        switch self.turn(pages) {
        case .nothing: break
        case .finish: Self.checkpoint(db, failed)
        case .copy:
            self.connection.asyncWriteWithoutTransaction { db in
                Self.checkpoint(db, failed)
                self.phase.withLock { $0 = .copied }
            }
        }
    }

    func close() throws {
        try self.connection.close()
    }

    private func turn(_ pages: UInt32) -> Turn {
        self.phase.withLock { phase in
            switch phase {
            case .idle(let written) where pages &- written >= Self.pagesBetween:
                phase = .copying
                return .copy
            case .idle, .copying:
                return .nothing
            case .copied:
                phase = .idle(pagesWritten: pages)
                return .finish
            }
        }
    }

    private static func checkpoint(_ db: Database, _ failed: (any Error) -> Void) {
        do {
            try db.checkpoint(.passive)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // Somebody else's checkpoint is under way: the next one will do.
        } catch {
            failed(error)
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
