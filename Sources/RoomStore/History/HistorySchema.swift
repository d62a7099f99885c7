import GRDB

/// The tables of `history.sqlite` and their migrations. A migration that has been released is never edited.
enum HistorySchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-history") { db in
            try db.execute(sql: Self.history0001)
        }
        migrator.registerMigration("0002-history") { db in
            try db.execute(sql: Self.history0002)
        }
        migrator.registerMigration("0003-history") { db in
            try db.execute(sql: Self.history0003)
        }
        migrator.registerMigration("0004-history") { db in
            try db.execute(sql: Self.history0004)
        }
        migrator.registerMigration(Self.withBatches) { db in
            try db.execute(sql: Self.history0005)
        }
        // Runs when `BatchMigration` has emptied what this drops.
        migrator.registerMigration(Self.withoutMessages) { db in
            try db.execute(sql: Self.history0006)
        }
        migrator.registerMigration("0007-history") { db in
            try db.execute(sql: Self.history0007)
        }
        migrator.registerMigration("0008-history") { db in
            try db.execute(sql: Self.history0008)
        }
        migrator.registerMigration("0009-history") { db in
            try db.execute(sql: Self.history0009)
        }
        migrator.registerMigration("0010-history") { db in
            try db.execute(sql: Self.history0010)
        }
        migrator.registerMigration("0011-history") { db in
            try db.execute(sql: Self.history0011)
        }
        migrator.registerMigration("0012-history") { db in
            try db.execute(sql: Self.history0012)
        }
        return migrator
    }

    /// The migration after which a file has both tables of messages, the old and the new one.
    static let withBatches = "0005-history"
    /// The one after which it has the new one only.
    static let withoutMessages = "0006-history"

    /// `Schemas/store/0001-history.sql`, word for word: the binary needs no file at run time.
    static let history0001 = """
        -- What is known of the file as a whole.
        CREATE TABLE meta (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            file_id TEXT NOT NULL,
            -- The machine's boot that wrote the file last.
            boot_id TEXT NOT NULL,
            -- 1 from an orderly close to the next open.
            is_clean INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE room (
            -- 23 bits, so that it fits above the 40 bits of a seq in a message's id.
            id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 8388607),
            channel TEXT NOT NULL,
            name TEXT NOT NULL,
            epoch INTEGER NOT NULL,
            -- The newest message; it outlives the messages themselves.
            last_seq INTEGER NOT NULL DEFAULT 0,
            last_high INTEGER,
            last_low INTEGER,
            -- The oldest message that retention lets readers see; never goes back.
            oldest_seq INTEGER NOT NULL DEFAULT 1,
            -- The oldest message that may still have a row: what lies between the two waits to be deleted.
            first_seq INTEGER NOT NULL DEFAULT 1,
            -- 1 if the newest message was synced to the disk (durability power).
            is_synced INTEGER NOT NULL,
            keep_count INTEGER NOT NULL,
            keep_milliseconds INTEGER NOT NULL,
            UNIQUE (channel, name)
        ) STRICT;

        CREATE TABLE message (
            -- room.id << 40 | seq: a room's messages lie together, in order, and need no index.
            id INTEGER PRIMARY KEY,
            -- The two halves of the message's UUIDv7.
            stamp_high INTEGER NOT NULL,
            stamp_low INTEGER NOT NULL,
            -- Unix milliseconds, for those who read the file by hand.
            sent_at INTEGER GENERATED ALWAYS AS (stamp_high >> 16) VIRTUAL,
            -- The client's message_id (16 bytes) and the digest of the body (8 bytes).
            key BLOB,
            -- From `"id":` to the closing brace of the frame.
            tail BLOB NOT NULL
        ) STRICT;

        """

    /// `Schemas/store/0002-history.sql`, word for word.
    static let history0002 = """
        -- Logs that were cleared: nobody reads their messages, whose rows are deleted in small steps.
        CREATE TABLE cleared_log (
            -- What was room.id; no other room gets it while there are such rows.
            id INTEGER PRIMARY KEY,
            -- The oldest and the newest message that may still have a row.
            first_seq INTEGER NOT NULL,
            last_seq INTEGER NOT NULL
        ) STRICT;

        -- What was room.id of logs whose rows are all deleted: new rooms get these first.
        CREATE TABLE free_log (
            id INTEGER PRIMARY KEY
        ) STRICT;

        """

    /// `Schemas/store/0003-history.sql`, word for word.
    static let history0003 = """
        -- 0: a message, 1: a redaction, 2: a message that was redacted. 0 and 1 take no byte of a row's body, so that what is asked
        -- of them reads no tail.
        ALTER TABLE message ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;

        -- The newest redaction's seq; 0: there was none.
        ALTER TABLE room ADD COLUMN last_redaction INTEGER NOT NULL DEFAULT 0;

        """

    /// `Schemas/store/0004-history.sql`, word for word.
    static let history0004 = """
        -- The epochs of logs of which nothing is stored follow from it.
        ALTER TABLE meta ADD COLUMN epoch_seed INTEGER NOT NULL DEFAULT 0;
        UPDATE meta SET epoch_seed = random();

        -- How many rooms of a channel have a row.
        CREATE TABLE channel_rooms (
            channel TEXT PRIMARY KEY,
            rooms INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO channel_rooms (channel, rooms) SELECT channel, count(*) FROM room GROUP BY channel;

        CREATE TRIGGER room_added AFTER INSERT ON room BEGIN
            INSERT INTO channel_rooms (channel, rooms) VALUES (NEW.channel, 1) ON CONFLICT DO UPDATE SET rooms = rooms + 1;
        END;

        CREATE TRIGGER room_removed AFTER DELETE ON room BEGIN
            UPDATE channel_rooms SET rooms = rooms - 1 WHERE channel = OLD.channel;
            DELETE FROM channel_rooms WHERE channel = OLD.channel AND rooms < 1;
        END;

        """

    /// `Schemas/store/0005-history.sql`, word for word.
    static let history0005 = """
        -- The messages of all logs, several in a row; `message` is emptied into it.
        CREATE TABLE batch (
            -- room.id << 40 | the seq of its newest message: a log's batches lie together, in order, and need no index.
            id INTEGER PRIMARY KEY,
            -- How many messages it has; their seqs follow one another.
            count INTEGER NOT NULL,
            -- The first half of the oldest message's UUIDv7, and both halves of the newest one's.
            first_high INTEGER NOT NULL,
            last_high INTEGER NOT NULL,
            last_low INTEGER NOT NULL,
            -- The newest message's Unix milliseconds, for those who read the file by hand.
            sent_at INTEGER GENERATED ALWAYS AS (last_high >> 16) VIRTUAL,
            -- 1: a message has a key, 2: one is a redaction; added up.
            marks INTEGER NOT NULL,
            -- For each message 24 bytes: its UUIDv7 (16), where its tail ends, counted from the first tail (4), its kind as it was in
            -- message.kind (1), 1 if it has a key (1), 0 (2). Then the keys, 24 bytes each: the client's message_id (16) and the
            -- digest of the body (8). Then the tails: each from `"id":` to the closing brace of its frame. Numbers are big-endian.
            messages BLOB NOT NULL
        ) STRICT;

        """

    /// `Schemas/store/0006-history.sql`, word for word.
    static let history0006 = """
        -- It is empty: its messages are in `batch`.
        DROP TABLE message;

        """

    /// `Schemas/store/0007-history.sql`, word for word.
    static let history0007 = """
        -- XXH64 of `messages`, seeded with the XXH64 (seed 0) of id, count, first_high, last_high, last_low and marks as six
        -- big-endian numbers of 8 bytes. NULL: an earlier version wrote the batch.
        ALTER TABLE batch ADD COLUMN checksum INTEGER;

        """

    /// `Schemas/store/0008-history.sql`, word for word.
    static let history0008 = """
        -- The newest message that an operator has pruned; 0: none was.
        ALTER TABLE room ADD COLUMN pruned_seq INTEGER NOT NULL DEFAULT 0;

        """

    /// `Schemas/store/0009-history.sql`, word for word.
    static let history0009 = """
        -- The publish keys of messages that were cleared, which are remembered still: logs without a row in `room`, whose messages in
        -- `batch` have no text and are numbered from 1.
        CREATE TABLE cleared_keys (
            -- As room.id; no room has it at the same time.
            id INTEGER PRIMARY KEY,
            -- The room that was cleared.
            channel TEXT NOT NULL,
            name BLOB NOT NULL,
            -- When it was cleared, in Unix milliseconds.
            cleared_at INTEGER NOT NULL,
            -- The newest of its messages, and both halves of that one's UUIDv7.
            last_seq INTEGER NOT NULL,
            last_high INTEGER NOT NULL,
            last_low INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX cleared_keys_of_room ON cleared_keys (channel, name);

        """

    /// `Schemas/store/0010-history.sql`, word for word.
    static let history0010 = """
        -- The newest message that was not served any more because of its age, when it was the newest of those; 0: none was.
        ALTER TABLE room ADD COLUMN expired_seq INTEGER NOT NULL DEFAULT 0;

        """

    /// `Schemas/store/0011-history.sql`, word for word.
    static let history0011 = """
        -- When the batch was stored, in Unix milliseconds, where its stamps were a minute or more ahead of that: its age is counted
        -- from there. NULL where they were not, and in batches by an earlier version.
        ALTER TABLE batch ADD COLUMN stored_at INTEGER;

        """

    /// `Schemas/store/0012-history.sql`, word for word.
    static let history0012 = """
        -- In `batch.messages`, the last two bytes of a message's 24 are how many bytes its author's user takes, which stands in front of
        -- its tail; 0: the tail says it, or there is none. An earlier version would take it for a part of the tail.
        SELECT 1;

        """

    /// `Schemas/store/followed-logs.sql`, word for word. It is no migration: `FollowedLog` makes these tables where they are used.
    static let followedLogs = """
        -- Made when the file begins to follow the logs of a cluster's partitions; the file of a broker that runs alone has none of it.

        -- How far the history has what the log of a partition says.
        CREATE TABLE followed_log (
            partition INTEGER PRIMARY KEY,
            -- The cluster's name for its logs: in other logs the places mean nothing.
            log TEXT NOT NULL,
            -- Everything through this record is stored; 0: nothing is.
            place INTEGER NOT NULL,
            -- When the log took this record, in Unix milliseconds: the log is known by it. 0: that is not known.
            time INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE log_snapshot (
            -- As in followed_log.
            partition INTEGER PRIMARY KEY,
            -- The rooms of the partition at the place of followed_log or at an earlier one, which is in the snapshot.
            snapshot BLOB NOT NULL
        ) STRICT;

        """
}
