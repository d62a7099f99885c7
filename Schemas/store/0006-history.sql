-- It is empty: its messages are in `batch`.
DROP TABLE message;
