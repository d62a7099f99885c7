-- In `batch.messages`, the last two bytes of a message's 24 are how many bytes its author's user takes, which stands in front of
-- its tail; 0: the tail says it, or there is none. An earlier version would take it for a part of the tail.
SELECT 1;
