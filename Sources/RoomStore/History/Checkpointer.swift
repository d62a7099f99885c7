import GRDB
import GRDBSQLite
import NIOConcurrencyHelpers

/// Moves committed pages from the `-wal` into the database file, so that commits hardly wait for it.
///
/// A checkpoint copies pages and syncs twice; on the writer's connection that stalls every commit. So the bulk is done
/// on a connection of its own while commits go on. Pages that they add meanwhile are few, and the writer copies those
/// itself between two transactions: only a complete checkpoint lets SQLite begin the `-wal` anew, which bounds its size
/// (docs/decisions/0003).
final class Checkpointer: Sendable {
    /// Where the bulk is copied.
    let connection: DatabaseQueue
    private let state = NIOLockedValueBox(State())

    private struct State {
        var turns = CheckpointTurns()
        /// They wait until the copy is complete.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "roomline.history.checkpoint"
        configuration.prepareDatabase { try HistoryFile.keepWAL($0) }
        self.connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// To be called on the writer's connection between two transactions. Returns how many pages are in the `-wal`, if
    /// it looked. `failed` may be called later on another thread.
    func checkpointIfDue(
        _ db: Database,
        pagesBetween: UInt32,
        failed: @escaping @Sendable (any Error) -> Void
    ) throws -> Int {
        let pages = Self.pagesWritten(db)
        switch self.state.withLockedValue({ $0.turns.next(pages: pages, between: pagesBetween) }) {
        case .nothing:
            return 0
        case .finish:
            return try Self.checkpoint(db)
        case .wait:
            // its turn comes behind the copy
            self.connection.writeWithoutTransaction { _ in }
            return try self.checkpointIfDue(db, pagesBetween: pagesBetween, failed: failed)
        case .copy:
            self.connection.asyncWriteWithoutTransaction { db in
                do {
                    _ = try Self.checkpoint(db)
                    // SQLite syncs where the whole log is copied only; else the writer would have to, for all of it.
                    try Self.sync(db)
                } catch {
                    failed(error)
                }
                self.copied()
            }
            return 0
        }
    }

    var isCopying: Bool { self.state.withLockedValue { $0.turns.isCopying } }

    /// Returns when no pages are being copied: commits wait in the end for all that is written during a copy.
    func whenCopied() async {
        await withCheckedContinuation { continuation in
            let waits = self.state.withLockedValue { state in
                if state.turns.isCopying { state.waiting.append(continuation) }
                return state.turns.isCopying
            }
            if !waits { continuation.resume() }
        }
    }

    private func copied() {
        let waiting = self.state.withLockedValue { state in
            defer { state.waiting = [] }
            state.turns.copied()
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func close() throws {
        try self.connection.close()
    }

    private static func checkpoint(_ db: Database) throws -> Int {
        do {
            return try db.checkpoint(.passive).walFrameCount
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return 0  // somebody else's checkpoint is under way: the next one will do
        }
    }

    /// Waits until what was copied into the database file is on the disk.
    private static func sync(_ db: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file, let sync = file.pointee.pMethods?.pointee.xSync else { return }
        let code = sync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// How many pages the connection has written since it was opened; wraps round.
    private static func pagesWritten(_ db: Database) -> UInt32 {
        var current: CInt = 0
        var highest: CInt = 0
        sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return UInt32(bitPattern: current)
    }
}
