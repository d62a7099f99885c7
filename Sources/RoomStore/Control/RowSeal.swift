import GRDB
import NIOCore

/// The checksum in each row of the tables that say who may do what. SQLite notices a page that makes no sense, but not a bit that
/// another has taken the place of: a ban would end sooner, a secret would be another one.
///
/// `Schemas/store/0005-control.sql` says over what bytes. The audit log has none: to look at its 150,000 rows with each change would
/// take longer than the change, and one of them is no reason to go back to an earlier file.
enum RowSeal {
    static let tables = ["channel", "channel_secret", "admin_token", "sanction", "room_rules"]
    private static let column = "checksum"

    /// Of the table with the names of its columns, then their values.
    private static let function = DatabaseFunction("row_checksum", pure: true) { values in
        var bytes = ByteBuffer()
        for value in values { RowSeal.append(value, to: &bytes) }
        return Int64(bitPattern: bytes.withUnsafeReadableBytes { BatchChecksum.xxh64($0, seed: 0) })
    }

    private static func append(_ value: DatabaseValue, to bytes: inout ByteBuffer) {
        switch value.storage {
        case .null: bytes.writeInteger(UInt8(0))
        case .int64(let number):
            bytes.writeInteger(UInt8(1))
            bytes.writeInteger(number)
        case .double(let number):
            bytes.writeInteger(UInt8(2))
            bytes.writeInteger(number.bitPattern)
        case .string(let text):
            bytes.writeInteger(UInt8(3))
            bytes.writeInteger(UInt64(text.utf8.count))
            bytes.writeString(text)
        case .blob(let data):
            bytes.writeInteger(UInt8(4))
            bytes.writeInteger(UInt64(data.count))
            bytes.writeBytes(data)
        }
    }

    /// Seals all rows as they are. A migration that changes one of the tables ends with it: a checksum is over all columns.
    static func seal(_ db: Database) throws {
        db.add(function: self.function)
        for table in self.tables {
            try db.execute(sql: "UPDATE \(table) SET \(self.column) = \(self.call(db, table))")
        }
    }

    /// Has this connection seal each row that it writes, and refuse to go on with one that is damaged. To be called once, behind the
    /// migrations.
    static func follow(_ db: Database) throws {
        db.add(function: self.function)
        for table in self.tables {
            let columns = try self.columns(db, table).joined(separator: ", ")
            let key = try db.primaryKey(table).columns.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
            let seal = try "UPDATE \(table) SET \(self.column) = \(self.call(db, table, "NEW.")) WHERE \(key);"
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER \(table)_checked BEFORE UPDATE OF \(columns) ON main.\(table)
                    WHEN OLD.\(self.column) IS NOT \(self.call(db, table, "OLD.")) BEGIN
                        SELECT RAISE(ABORT, 'a row of the table \(table) is damaged');
                    END;
                    CREATE TEMP TRIGGER \(table)_added AFTER INSERT ON main.\(table) BEGIN \(seal) END;
                    CREATE TEMP TRIGGER \(table)_changed AFTER UPDATE OF \(columns) ON main.\(table) BEGIN \(seal) END;
                    """
            )
        }
    }

    /// The first rows that are not what was written; none in a file of a version that did not seal them.
    static func damaged(_ db: Database, limit: Int = 20) throws -> [DamagedRow] {
        db.add(function: self.function)
        var damaged: [DamagedRow] = []
        for table in self.tables where try self.isSealed(db, table) {
            let key = try db.primaryKey(table).columns
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(key.map { "CAST(\($0) AS TEXT)" }.joined(separator: ", ")) FROM \(table)
                    WHERE \(self.column) IS NOT \(self.call(db, table)) LIMIT ?
                    """,
                arguments: [limit - damaged.count]
            )
            damaged += rows.map { row in
                DamagedRow(table: table, key: key.indices.map { (key[$0], row[$0] as String? ?? "") })
            }
        }
        return damaged
    }

    private static func isSealed(_ db: Database, _ table: String) throws -> Bool {
        try db.tableExists(table) && db.columns(in: table).contains { $0.name == self.column }
    }

    private static func columns(_ db: Database, _ table: String) throws -> [String] {
        try db.columns(in: table).map(\.name).filter { $0 != self.column }
    }

    private static func call(_ db: Database, _ table: String, _ prefix: String = "") throws -> String {
        let columns = try self.columns(db, table)
        let values = columns.map { prefix + $0 }.joined(separator: ", ")
        return "\(self.function.name)('\(table)(\(columns.joined(separator: ",")))', \(values))"
    }
}
