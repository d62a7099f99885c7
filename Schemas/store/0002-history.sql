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
