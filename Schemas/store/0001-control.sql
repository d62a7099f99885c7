CREATE TABLE channel (
    id TEXT PRIMARY KEY,
    -- NULL: rooms of this channel keep no history.
    history_count INTEGER,
    history_age_milliseconds INTEGER,
    durability TEXT NOT NULL,
    grace_milliseconds INTEGER NOT NULL,
    CHECK ((history_count IS NULL) = (history_age_milliseconds IS NULL))
) STRICT, WITHOUT ROWID;
