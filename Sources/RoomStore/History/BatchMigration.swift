import GRDB
import NIOCore
import RoomCore
import RoomModel

/// Takes over the messages of a file in which each had a row of its own (docs/decisions/0031).
///
/// It goes on in many small transactions, each of which moves some messages from one table to the other: whatever ends it,
/// the next start goes on where it was, and the file never needs twice its size.
enum BatchMigration {
    /// A transaction moves no more, so that its part of the `-wal` stays short.
    private static let messagesInStep = 4_096
    private static let bytesInStep = 4 << 20
    /// Moved messages lie in the `-wal` until they are copied from there; after so many steps they are.
    private static let stepsBetweenCheckpoints = 16
    /// A row made of old messages has no more bytes in its tails, since they may be from very different times.
    private static let bytesInRow = 16_384

    /// Brings the file's tables to what this version works with.
    ///
    /// - Parameter report: is called before the messages are counted, if there are any, then before and after each step.
    static func migrate(_ writer: any DatabaseWriter, report: (MigrationProgress) -> Void) throws {
        let migrator = HistorySchema.migrator
        let completed = try writer.read { try migrator.completedMigrations($0) }
        if !completed.contains(HistorySchema.withoutMessages) {
            try migrator.migrate(writer, upTo: HistorySchema.withBatches)
            try self.takeOver(writer, report: report)
        }
        try migrator.migrate(writer)
    }

    private static func takeOver(_ writer: any DatabaseWriter, report: (MigrationProgress) -> Void) throws {
        try writer.writeWithoutTransaction { db in
            // A message that is redacted later must not be in what this frees.
            try db.overwritingDeletedBytes { try self.takeOver(db, report: report) }
        }
    }

    private static func takeOver(_ db: Database, report: (MigrationProgress) -> Void) throws {
        guard try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM message)") == true else { return }
        report(.counting)
        let total = try UInt64.fetchOne(db, sql: "SELECT count(*) FROM message") ?? 0
        report(.moved(0, of: total))
        var (moved, steps) = (UInt64(0), 0)
        while case let count = try self.step(db), count > 0 {
            moved += UInt64(count)
            report(.moved(moved, of: total))
            steps += 1
            if steps.isMultiple(of: self.stepsBetweenCheckpoints) { _ = try? db.checkpoint(.truncate) }
        }
    }

    /// - Returns: how many messages were moved.
    static func step(_ db: Database) throws -> Int {
        var moved = 0
        try db.inTransaction(.immediate) {
            moved = try self.move(db)
            return .commit
        }
        return moved
    }

    /// Moves the first messages of the table. Returns how many.
    private static func move(_ db: Database) throws -> Int {
        let select = try BoundStatement(
            db,
            "SELECT id, stamp_high, stamp_low, key, tail, kind FROM message ORDER BY id LIMIT ?"
        )
        defer { select.reset() }
        select.bind(Int64(self.messagesInStep), at: 1)
        var (last, count, bytes, bytesOfRow): (BatchRowID?, Int, Int, Int) = (nil, 0, 0, 0)
        var entries: [LogEntry] = []
        while bytes < self.bytesInStep, try select.step() {
            let id = BatchRowID(rawValue: select.int64(at: 0))
            guard id.rawValue > 0, id.seq > 0 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            let entry = self.entry(select, id)
            let goesOn = last.map { $0.room == id.room && $0.seq + 1 == id.seq } ?? true
            if let last, !goesOn || bytesOfRow >= self.bytesInRow || entries.count == BatchMessages.mostMessages {
                try BatchRow.insert(db, room: last.room, entries, now: nil)
                entries.removeAll(keepingCapacity: true)
                bytesOfRow = 0
            }
            entries.append(entry)
            bytesOfRow += entry.tail.readableBytes
            bytes += entry.tail.readableBytes
            count += 1
            last = id
        }
        guard let last else { return 0 }
        try BatchRow.insert(db, room: last.room, entries, now: nil)
        let delete = try BoundStatement(db, "DELETE FROM message WHERE id <= ?")
        delete.bind(last.rawValue, at: 1)
        try delete.run()
        return count
    }

    private static func entry(_ row: BoundStatement, _ id: BatchRowID) -> LogEntry {
        let stamp = UniqueID(
            high: UInt64(bitPattern: row.int64(at: 1)),
            low: UInt64(bitPattern: row.int64(at: 2))
        )
        return LogEntry(
            UInt8(exactly: row.int64(at: 5)).flatMap(EntryKind.init(rawValue:)) ?? .message,
            seq: id.seq,
            id: stamp,
            key: PublishKey(storedBytes: row.bytes(at: 3)),
            tail: ByteBuffer(bytes: row.bytes(at: 4))
        )
    }
}
