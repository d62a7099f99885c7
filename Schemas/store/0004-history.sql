-- The epochs of logs of which nothing is stored follow from it.
ALTER TABLE meta ADD COLUMN epoch_seed INTEGER NOT NULL DEFAULT 0;
UPDATE meta SET epoch_seed = random();

-- How many rooms of a channel have a row.
CREATE TABLE channel_rooms (
    channel TEXT PRIMARY KEY,
    rooms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO channel_rooms (channel, rooms) SELECT channel, count(*) FROM room GROUP BY channel;

CREATE TRIGGER room_added AFTER INSERT ON room BEGIN
    INSERT INTO channel_rooms (channel, rooms) VALUES (NEW.channel, 1) ON CONFLICT DO UPDATE SET rooms = rooms + 1;
END;

CREATE TRIGGER room_removed AFTER DELETE ON room BEGIN
    UPDATE channel_rooms SET rooms = rooms - 1 WHERE channel = OLD.channel;
    DELETE FROM channel_rooms WHERE channel = OLD.channel AND rooms < 1;
END;
