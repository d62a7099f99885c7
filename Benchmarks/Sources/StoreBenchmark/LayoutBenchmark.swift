import BenchmarkClock
import Foundation
import GRDB
import GRDBSQLite

/// How a message may lie in SQLite: one row each, or one row for a batch of 32; and how GRDB's two ways to bind
/// compare.
struct LayoutBenchmark {
    var messages = 1_024_000
    var batch = 32
    var batchesInTransaction = 16
    var rooms = 1
    let tail = [UInt8](repeating: 0x61, count: 300)
    let key = [UInt8](repeating: 0x6b, count: 24)

    /// What one insert statement is given.
    struct Row {
        var id: Int64
        var high: Int64
        var key: [UInt8]
        var tail: [UInt8]
    }

    func run() throws {
        try self.measure("row per message, GRDB arguments", rowsPerBatch: self.batch, tail: self.tail) {
            statement,
            row in
            statement.setUncheckedArguments([row.id, row.high, row.id, Data(row.key), Data(row.tail)])
            try statement.execute()
        }
        try self.measure("row per message, sqlite3_bind", rowsPerBatch: self.batch, tail: self.tail, Self.bindAndStep)
        let chunk = [UInt8](repeating: 0x61, count: self.tail.count * self.batch)
        try self.measure("row per chunk of \(self.batch), sqlite3_bind", rowsPerBatch: 1, tail: chunk, Self.bindAndStep)
    }

    private func measure(
        _ name: String,
        rowsPerBatch: Int,
        tail: [UInt8],
        _ insert: (Statement, Row) throws -> Void
    ) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let pool = try DatabasePool(path: directory + "/layout.sqlite")
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = -16384")
            try db.execute(
                sql: """
                    CREATE TABLE message (id INTEGER PRIMARY KEY, stamp_high INTEGER NOT NULL,
                        stamp_low INTEGER NOT NULL, key BLOB, tail BLOB NOT NULL) STRICT
                    """
            )
            let statement = try db.makeStatement(sql: "INSERT INTO message VALUES (?, ?, ?, ?, ?)")
            let clock = ProcessClock()
            var nextSeq = [Int64](repeating: 1, count: self.rooms)
            var batches = 0
            while batches * self.batch < self.messages {
                try db.inTransaction(.immediate) {
                    for _ in 0..<self.batchesInTransaction {
                        let room = batches % self.rooms
                        for _ in 0..<rowsPerBatch {
                            let id = Int64(room + 1) << 40 | nextSeq[room]
                            try insert(statement, Row(id: id, high: id, key: self.key, tail: tail))
                            nextSeq[room] += 1
                        }
                        batches += 1
                    }
                    return .commit
                }
            }
            clock.report("\(name), \(self.rooms) room(s)", count: batches * self.batch)
            let bytes = try FileManager.default.attributesOfItem(atPath: directory + "/layout.sqlite")[.size]
            print("    file: \(bytes ?? 0)")
        }
    }

    private static func bindAndStep(_ statement: Statement, _ row: Row) throws {
        let handle = statement.sqliteStatement
        sqlite3_bind_int64(handle, 1, row.id)
        sqlite3_bind_int64(handle, 2, row.high)
        sqlite3_bind_int64(handle, 3, row.id)
        let code = row.key.withUnsafeBytes { key in
            row.tail.withUnsafeBytes { tail in
                sqlite3_bind_blob(handle, 4, key.baseAddress, CInt(key.count), nil)
                sqlite3_bind_blob(handle, 5, tail.baseAddress, CInt(tail.count), nil)
                let code = sqlite3_step(handle)
                sqlite3_reset(handle)
                return code
            }
        }
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
