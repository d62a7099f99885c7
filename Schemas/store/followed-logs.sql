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
