-- Bytes of a member's client_data; NULL: 8192.
ALTER TABLE channel ADD COLUMN client_data_bytes INTEGER;
