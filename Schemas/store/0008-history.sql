-- The newest message that an operator has pruned; 0: none was.
ALTER TABLE room ADD COLUMN pruned_seq INTEGER NOT NULL DEFAULT 0;
