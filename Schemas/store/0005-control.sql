-- A checksum for each row, the XXH64 (seed 0) of: what follows for the text of the table's name and, in parentheses and with commas
-- between them, the names of all other columns; then what follows for the value of each of these. A byte for the type: 0 NULL,
-- 1 INTEGER, 2 REAL, 3 TEXT, 4 BLOB. Numbers: 8 bytes, big-endian. Texts and blobs: how many bytes they have, as such a number, and
-- the bytes.
ALTER TABLE channel ADD COLUMN checksum INTEGER;
ALTER TABLE channel_secret ADD COLUMN checksum INTEGER;
ALTER TABLE admin_token ADD COLUMN checksum INTEGER;
ALTER TABLE sanction ADD COLUMN checksum INTEGER;
ALTER TABLE room_rules ADD COLUMN checksum INTEGER;
