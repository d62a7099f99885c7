-- 0: a message, 1: a redaction, 2: a message that was redacted. 0 and 1 take no byte of a row's body, so that what is asked
-- of them reads no tail.
ALTER TABLE message ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;

-- The newest redaction's seq; 0: there was none.
ALTER TABLE room ADD COLUMN last_redaction INTEGER NOT NULL DEFAULT 0;
