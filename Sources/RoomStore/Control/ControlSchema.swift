import GRDB

/// The tables of `control.sqlite` and their migrations. A migration that has been released is never edited.
enum ControlSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-control") { db in
            try db.execute(sql: Self.control0001)
        }
        return migrator
    }

    /// `Schemas/store/0001-control.sql`, word for word: the binary needs no file at run time.
    static let control0001 = """
        CREATE TABLE channel (
            id TEXT PRIMARY KEY,
            -- NULL: rooms of this channel keep no history.
            history_count INTEGER,
            history_age_milliseconds INTEGER,
            durability TEXT NOT NULL,
            grace_milliseconds INTEGER NOT NULL,
            CHECK ((history_count IS NULL) = (history_age_milliseconds IS NULL))
        ) STRICT, WITHOUT ROWID;

        """
}
