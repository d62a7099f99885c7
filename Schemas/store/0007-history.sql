-- XXH64 of `messages`, seeded with the XXH64 (seed 0) of id, count, first_high, last_high, last_low and marks as six
-- big-endian numbers of 8 bytes. NULL: an earlier version wrote the batch.
ALTER TABLE batch ADD COLUMN checksum INTEGER;
