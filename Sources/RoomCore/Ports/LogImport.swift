package import RoomModel

/// Messages of an export that are to be a room's history, all of them or one part after the other.
package struct LogImport: Sendable {
    package var room: RoomKey
    package var retention: HistorySettings
    /// Where the part before has ended; `nil`: this is the first, and begins another log in place of the room's.
    package var after: Position?
    /// One at least, as they were exported: `seq` ascends without holes, from wherever the export begins; ids ascend.
    package var entries: [LogEntry]

    package init(room: RoomKey, retention: HistorySettings, after: Position?, entries: [LogEntry]) {
        self.room = room
        self.retention = retention
        self.after = after
        self.entries = entries
    }
}

/// The state of a room's log after an import.
package struct ImportReceipt: Equatable, Sendable {
    /// The epoch is another one after each part.
    package var epoch: Epoch
    /// The newest message's.
    package var seq: UInt64
    /// The oldest that is served: retention keeps nothing below it.
    package var oldestSeq: UInt64

    package init(epoch: Epoch, seq: UInt64, oldestSeq: UInt64) {
        self.epoch = epoch
        self.seq = seq
        self.oldestSeq = oldestSeq
    }
}

/// Why nothing of a part was stored; but with `.unavailable` nobody knows.
package enum LogImportError: Error, Equatable, Sendable {
    /// The room serves messages already.
    case occupied
    /// The log does not end where the part before has: somebody has published, or the room was cleared.
    case movedOn
    case unavailable
}
