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
