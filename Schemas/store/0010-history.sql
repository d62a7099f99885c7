-- The newest message that was not served any more because of its age, when it was the newest of those; 0: none was.
ALTER TABLE room ADD COLUMN expired_seq INTEGER NOT NULL DEFAULT 0;
