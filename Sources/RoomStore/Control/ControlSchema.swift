import GRDB
import RoomModel

/// The tables of `control.sqlite` and their migrations. A migration that has been released is never edited.
enum ControlSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-control") { db in
            try db.execute(sql: Self.control0001)
        }
        migrator.registerMigration("0002-control") { db in
            try db.execute(sql: Self.control0002)
            for id in try String.fetchAll(db, sql: "SELECT id FROM channel ORDER BY id") {
                try ChannelSecret.storeFirst(db, of: id)
            }
        }
        migrator.registerMigration("0003-control") { db in
            try db.execute(sql: Self.control0003)
        }
        migrator.registerMigration("0004-control") { db in
            try db.execute(sql: Self.control0004)
        }
        migrator.registerMigration("0005-control") { db in
            try db.execute(sql: Self.control0005)
            try RowSeal.seal(db)
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

    /// `Schemas/store/0002-control.sql`, word for word.
    static let control0002 = """
        ALTER TABLE channel ADD COLUMN name TEXT NOT NULL DEFAULT '';
        ALTER TABLE channel ADD COLUMN authentication TEXT NOT NULL DEFAULT 'none';
        ALTER TABLE channel ADD COLUMN token_expiry TEXT NOT NULL DEFAULT 'at_use';
        -- [{"pattern", "count", "age_milliseconds"}]; without the last two: these rooms keep no history.
        ALTER TABLE channel ADD COLUMN history_rules TEXT NOT NULL DEFAULT '[]';
        ALTER TABLE channel ADD COLUMN history_order TEXT NOT NULL DEFAULT 'oldest_first';
        ALTER TABLE channel ADD COLUMN presence TEXT NOT NULL DEFAULT 'prefix';
        ALTER TABLE channel ADD COLUMN auth_data_stamps TEXT NOT NULL DEFAULT 'observable';
        -- ["https://app.example"]
        ALTER TABLE channel ADD COLUMN allowed_origins TEXT NOT NULL DEFAULT '[]';
        -- Limits; NULL: the broker's own.
        ALTER TABLE channel ADD COLUMN members_listed INTEGER;
        ALTER TABLE channel ADD COLUMN connections INTEGER;
        ALTER TABLE channel ADD COLUMN rooms INTEGER;
        ALTER TABLE channel ADD COLUMN new_room_rate INTEGER;
        ALTER TABLE channel ADD COLUMN member_new_room_rate INTEGER;
        ALTER TABLE channel ADD COLUMN members_per_room INTEGER;
        ALTER TABLE channel ADD COLUMN message_bytes INTEGER;
        ALTER TABLE channel ADD COLUMN publish_rate INTEGER;
        ALTER TABLE channel ADD COLUMN member_publish_rate INTEGER;
        -- One more with each change. A new channel begins with the id of its audit entry, above all that were deleted.
        ALTER TABLE channel ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

        -- In clear: HS256 and HTTP Basic need the secret itself. The file is mode 0600.
        CREATE TABLE channel_secret (
            channel TEXT NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            text TEXT NOT NULL,
            -- Unix seconds; NULL: the current one.
            expires INTEGER,
            PRIMARY KEY (channel, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE admin_token (
            name TEXT PRIMARY KEY,
            -- SHA-256 of the token, which is known nowhere else.
            hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
            -- Words with a space between them.
            scopes TEXT NOT NULL,
            -- Unix milliseconds.
            created INTEGER NOT NULL,
            expires INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- Unix milliseconds.
            time INTEGER NOT NULL,
            actor TEXT NOT NULL,
            origin TEXT NOT NULL,
            action TEXT NOT NULL,
            target TEXT NOT NULL,
            -- A JSON object.
            details TEXT NOT NULL
        ) STRICT;

        """

    /// `Schemas/store/0003-control.sql`, word for word.
    static let control0003 = """
        -- Bans and mutes: one of a kind for a subject in a place.
        CREATE TABLE sanction (
            channel TEXT NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('ban', 'mute')),
            -- Empty, as no room's name is: the whole channel.
            room TEXT NOT NULL CHECK (length(CAST(room AS BLOB)) <= 4096),
            subject_kind TEXT NOT NULL CHECK (subject_kind IN ('user', 'client_id', 'address')),
            -- An address, or a range of them as CIDR writes it.
            subject TEXT NOT NULL CHECK (length(CAST(subject AS BLOB)) BETWEEN 1 AND 200),
            reason TEXT CHECK (length(CAST(reason AS BLOB)) <= 500),
            author TEXT NOT NULL CHECK (length(CAST(author AS BLOB)) <= 1000),
            -- Unix milliseconds.
            created INTEGER NOT NULL,
            -- NULL: until it is lifted.
            expires INTEGER,
            PRIMARY KEY (channel, kind, room, subject_kind, subject)
        ) STRICT, WITHOUT ROWID;

        -- What moderators have set for rooms; a room for which nothing is set has no row.
        CREATE TABLE room_rules (
            channel TEXT NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
            room TEXT NOT NULL CHECK (length(CAST(room AS BLOB)) BETWEEN 1 AND 4096),
            locked INTEGER NOT NULL CHECK (locked IN (0, 1)),
            lock_reason TEXT CHECK (length(CAST(lock_reason AS BLOB)) <= 500),
            -- NULL: none.
            slow_mode_seconds INTEGER,
            -- NULL: as the channel says.
            member_limit INTEGER,
            PRIMARY KEY (channel, room)
        ) STRICT, WITHOUT ROWID;

        """

    /// `Schemas/store/0004-control.sql`, word for word.
    static let control0004 = """
        -- Bytes of a member's client_data; NULL: 8192.
        ALTER TABLE channel ADD COLUMN client_data_bytes INTEGER;

        """

    /// `Schemas/store/0005-control.sql`, word for word.
    static let control0005 = """
        -- A checksum for each row, the XXH64 (seed 0) of: what follows for the text of the table's name and, in parentheses and with commas
        -- between them, the names of all other columns; then what follows for the value of each of these. A byte for the type: 0 NULL,
        -- 1 INTEGER, 2 REAL, 3 TEXT, 4 BLOB. Numbers: 8 bytes, big-endian. Texts and blobs: how many bytes they have, as such a number, and
        -- the bytes.
        ALTER TABLE channel ADD COLUMN checksum INTEGER;
        ALTER TABLE channel_secret ADD COLUMN checksum INTEGER;
        ALTER TABLE admin_token ADD COLUMN checksum INTEGER;
        ALTER TABLE sanction ADD COLUMN checksum INTEGER;
        ALTER TABLE room_rules ADD COLUMN checksum INTEGER;

        """
}
