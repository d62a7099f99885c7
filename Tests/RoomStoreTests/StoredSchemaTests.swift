import GRDB
import RoomCore
import Testing

@testable import RoomStore

@Suite
struct StoredSchemaTests {
    private let directory: TemporaryDirectory
    private var path: String { self.directory.file("file.sqlite") }

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func make(_ migrator: DatabaseMigrator, upTo last: String? = nil, _ change: String = "") throws {
        let database = try DatabaseQueue(path: self.path)
        try migrator.migrate(database, upTo: last ?? migrator.migrations[migrator.migrations.count - 1])
        try database.writeWithoutTransaction { try $0.execute(sql: change) }
        try database.close()
    }

    @Test(arguments: HistorySchema.migrator.migrations) func `a history of each version is known`(_ last: String) throws
    {
        try self.make(HistorySchema.migrator, upTo: last)
        try StoredSchema.history.check(file: self.path)
    }

    @Test(arguments: ControlSchema.migrator.migrations) func `a control file of each version is known`(
        _ last: String
    ) throws {
        try self.make(ControlSchema.migrator, upTo: last)
        try StoredSchema.control.check(file: self.path)
    }

    @Test func `the tables of a node are known, also those of earlier builds`() throws {
        try self.make(HistorySchema.migrator, HistorySchema.followedLogs)
        try StoredSchema.history.check(file: self.path)
        let column =
            "    -- When the log took this record, in Unix milliseconds: the log is known by it. 0: that is not known.\n"
            + "    time INTEGER NOT NULL DEFAULT 0\n"
        let earlier = HistorySchema.followedLogs.replacing("NOT NULL,\n" + column, with: "NOT NULL\n")
        #expect(earlier != HistorySchema.followedLogs)
        let database = try DatabaseQueue(path: self.path)
        try database.write { db in
            try FollowedLog.end(db)
            try db.execute(sql: earlier)
        }
        try StoredSchema.history.check(file: self.path)
        try database.write { try KnownRecord.addTime(to: "followed_log", $0) }
        try StoredSchema.history.check(file: self.path)
        try database.close()
    }

    @Test func `the tables of a node are known in its control file`() throws {
        try self.make(ControlSchema.migrator, ControlStore.tables)
        try StoredSchema.control.check(file: self.path)
    }

    @Test(arguments: [
        ("CREATE TRIGGER mine AFTER UPDATE ON room BEGIN DELETE FROM batch; END", #"it has the trigger "mine""#),
        ("CREATE VIEW mine AS SELECT 1", #"it has the view "mine""#),
        ("CREATE TABLE mine (a)", #"it has the table "mine""#),
        ("CREATE INDEX mine ON batch (count)", #"it has the index "mine""#),
        ("CREATE VIRTUAL TABLE mine USING fts5 (a)", #"it has the table "mine""#),
        ("CREATE TABLE \"mi\u{1b}\nne\" (a)", #"it has the table "mi\u001b\nne""#),
        ("ALTER TABLE meta ADD COLUMN mine TEXT", #"its table "meta" is not"#),
        ("DROP TRIGGER room_added", #"it lacks the trigger "room_added""#),
        ("DROP TABLE grdb_migrations", "it is not a file of Roomline"),
        (
            "DROP TABLE grdb_migrations; CREATE VIEW grdb_migrations AS SELECT '0001-history' AS identifier",
            "it is not a file of Roomline"
        ),
        ("DELETE FROM grdb_migrations WHERE identifier = '0002-history'", "its migrations are not those"),
        ("DELETE FROM grdb_migrations WHERE identifier > '0003-history'", "it has the"),
        ("INSERT INTO grdb_migrations VALUES ('9999-history')", "a newer Roomline wrote it"),
        ("PRAGMA journal_mode = WAL", "it is not a database as a backup has it"),
    ])
    func `what Roomline has not made is named`(_ change: String, _ text: String) throws {
        try self.make(HistorySchema.migrator, change)
        let error = #expect(throws: StoredFileError.self) { try StoredSchema.history.check(file: self.path) }
        #expect(error?.text.contains(text) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("CREATE TABLE a (\n    -- why\n    b TEXT NOT NULL\n) STRICT", "CREATE TABLE a(b TEXT NOT NULL)STRICT"),
        ("CREATE /* a, b */ TABLE a (b, c )", "CREATE TABLE a(b,c)"),
        ("a '-- no  comment' \"b  c\" [d  /* e */] `f  g`", "a '-- no  comment' \"b  c\" [d  /* e */] `f  g`"),
        ("a DEFAULT 'it''s  so' ", "a DEFAULT 'it''s  so'"),
        ("a 'no end", "a 'no end"), ("a /* no end", "a"), ("", ""),
    ])
    func `the blanks and comments of SQL do not count`(_ sql: String, _ normal: String) {
        #expect(NormalSQL.of(sql) == normal)
    }
}
