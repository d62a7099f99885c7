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
