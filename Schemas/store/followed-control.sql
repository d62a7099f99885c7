-- One row: the control stream of the cluster, and the newest record whose change was made.
CREATE TABLE IF NOT EXISTS followed_control (
    log TEXT NOT NULL,
    place INTEGER,
    -- When the stream took this record, in Unix milliseconds: the stream is known by it. 0: that is not known.
    time INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The newest change of each life of a node: a repeat of it is not made again.
CREATE TABLE IF NOT EXISTS followed_control_node (
    node INTEGER PRIMARY KEY,
    newest INTEGER NOT NULL
) STRICT;
