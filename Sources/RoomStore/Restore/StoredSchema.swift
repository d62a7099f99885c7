import GRDB
import RoomJSON

/// The tables, indexes and triggers of a database file in a backup: those that this version or an earlier one makes, as it makes them,
/// and no others. SQL that somebody else has put there would run in the broker.
struct StoredSchema {
    static var history: StoredSchema { StoredSchema(HistorySchema.migrator, ofNodes: HistorySchema.followedLogs) }
    static var control: StoredSchema { StoredSchema(ControlSchema.migrator, ofNodes: ControlStore.tables) }

    private static let advice = "take a backup that \"roomline backup\" has made"
    private static let migrations = SchemaEntry.Name(type: "table", name: "grdb_migrations")

    private let migrator: DatabaseMigrator
    /// The tables that one of several nodes has besides.
    private let nodeTables: String

    private init(_ migrator: DatabaseMigrator, ofNodes tables: String) {
        self.migrator = migrator
        self.nodeTables = tables
    }

    /// - Throws: `StoredFileError` where the file is not ours, or of a newer Roomline.
    func check(file path: String) throws {
        guard try DatabaseHeader.isOfOneFile(path) else {
            throw StoredFileError(.damaged, path, "it is not a database as a backup has it: \(Self.advice)")
        }
        let database = try DatabaseQueue(path: path, configuration: .untrusted)
        try database.read { try self.check($0, path) }
        try database.close()
    }

    func check(_ db: Database, _ path: String) throws {
        let found = try SchemaEntry.all(db)
        // Before anything of the file is read through it.
        let first = try self.required(self.migrator.migrations.first)[Self.migrations]
        guard let first, found[Self.migrations] == first else {
            throw StoredFileError(.damaged, path, "it is not a file of Roomline: \(Self.advice)")
        }
        let required = try self.required(self.lastApplied(db, path))
        let optional = try self.optional()
        for (name, sql) in found.sorted(by: { $0.key < $1.key }) {
            guard let allowed = required[name].map({ [$0] }) ?? optional[name] else {
                throw StoredFileError(
                    .damaged,
                    path,
                    "it has the \(name), which Roomline does not make: \(Self.advice)"
                )
            }
            guard allowed.contains(sql) else {
                throw StoredFileError(.damaged, path, "its \(name) is not as Roomline makes it: \(Self.advice)")
            }
        }
        if let missing = required.keys.sorted().first(where: { found[$0] == nil }) {
            throw StoredFileError(.damaged, path, "it lacks the \(missing): \(Self.advice)")
        }
    }

    /// The last of the migrations that the file has been through.
    private func lastApplied(_ db: Database, _ path: String) throws -> String? {
        let applied = Set(try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations"))
        let known = self.migrator.migrations
        guard applied.isSubset(of: known) else {
            throw StoredFileError(.newer, path, "a newer Roomline wrote it: use that version")
        }
        guard applied == Set(known.prefix(applied.count)) else {
            throw StoredFileError(.damaged, path, "its migrations are not those of any Roomline: \(Self.advice)")
        }
        return applied.isEmpty ? nil : known[applied.count - 1]
    }

    /// What a file has that was migrated so far.
    private func required(_ migration: String?) throws -> [SchemaEntry.Name: String] {
        let fresh = try DatabaseQueue()
        guard let migration else { return [:] }
        try self.migrator.migrate(fresh, upTo: migration)
        return try fresh.read { try SchemaEntry.all($0) }
    }

    /// Earlier builds noted no time in the tables of nodes (`KnownRecord.addTime`).
    private func optional() throws -> [SchemaEntry.Name: [String]] {
        let fresh = try DatabaseQueue()
        return try fresh.write { db in
            try db.execute(sql: self.nodeTables)
            return try SchemaEntry.all(db).mapValues { sql in
                [sql, sql.replacing(",time INTEGER NOT NULL DEFAULT 0", with: "")]
            }
        }
    }
}

/// An entry of `sqlite_schema`.
private enum SchemaEntry {
    struct Name: Hashable, Comparable, CustomStringConvertible {
        let type: String
        let name: String

        var description: String { "\(self.isKnown ? self.type : "entry") \(self.name.shown)" }

        private var isKnown: Bool { ["table", "index", "trigger", "view"].contains(self.type) }

        static func < (one: Name, other: Name) -> Bool { (one.type, one.name) < (other.type, other.name) }
    }

    /// The SQL of each, normalised.
    static func all(_ db: Database) throws -> [Name: String] {
        let rows = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema")
        let entries = rows.map { row in
            let (type, name, table, sql): (String, String, String, String?) = (row[0], row[1], row[2], row[3])
            // An index that SQLite makes by itself has no SQL: its table is what there is to compare.
            return (Name(type: type, name: name), sql.map { NormalSQL.of($0) } ?? "of \(table)")
        }
        return Dictionary(entries) { "\($0) \($1)" }
    }
}
