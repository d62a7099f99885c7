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
