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
