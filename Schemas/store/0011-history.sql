-- When the batch was stored, in Unix milliseconds, where its stamps were a minute or more ahead of that: its age is counted
-- from there. NULL where they were not, and in batches by an earlier version.
ALTER TABLE batch ADD COLUMN stored_at INTEGER;
