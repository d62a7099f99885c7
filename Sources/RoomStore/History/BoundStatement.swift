import GRDB
import GRDBSQLite

/// A prepared statement whose arguments go straight to SQLite, for the way of every append: GRDB's boxed arguments cost
/// more than the insert itself (docs/decisions/0003).
///
/// Confined to one access to the database. `reset` ends each use, also after an error.
struct BoundStatement {
    private let db: Database
    private let handle: SQLiteStatement

    /// Takes the statement from the connection's cache.
    init(_ db: Database, _ sql: String) throws {
        self.db = db
        self.handle = try db.cachedStatement(sql: sql).sqliteStatement
    }

    func bind(_ value: Int64, at index: CInt) {
        sqlite3_bind_int64(self.handle, index, value)
    }

    func bindNull(at index: CInt) {
        sqlite3_bind_null(self.handle, index)
    }

    /// The bytes must stay where they are until `reset`.
    func bind(unowned bytes: UnsafeRawBufferPointer, at index: CInt) {
        guard let start = bytes.baseAddress else {  // SQLite would take it for NULL
            sqlite3_bind_zeroblob(self.handle, index, 0)
            return
        }
        sqlite3_bind_blob64(self.handle, index, start, UInt64(bytes.count), nil)
    }

    /// Whether there is a row to read.
    func step() throws -> Bool {
        switch sqlite3_step(self.handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        default: throw DatabaseError(resultCode: self.db.lastErrorCode, message: self.db.lastErrorMessage)
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws {
        defer { self.reset() }
        while try self.step() {}
    }

    func reset() {
        sqlite3_reset(self.handle)
    }

    func int64(at column: CInt) -> Int64 {
        sqlite3_column_int64(self.handle, column)
    }

    func isNull(at column: CInt) -> Bool {
        sqlite3_column_type(self.handle, column) == SQLITE_NULL
    }

    /// Valid until the next `step` or `reset`.
    func bytes(at column: CInt) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(self.handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(self.handle, column)))
    }
}
