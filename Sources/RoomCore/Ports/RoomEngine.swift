package import NIOCore
package import RoomModel

/// Where the logs of rooms with history live: the seam between "append to this room's log" and the storage behind it.
///
/// Duties of an engine:
/// - Appends of one room are stored in the order of the calls; the completion of an append is called once its entries are
///   as durable as `durability` says, or have not been stored at all, or the outcome is unknown (`.unavailable`).
/// - A read that is called after the completion of an append sees its entries.
/// - Completions are called on a thread of the engine's, in the order of the calls of the same kind for each room; they must
///   not block.
/// - No call blocks. The callers bound how much waits: a room has at most one append under way.
package protocol RoomEngine: LogReader {
    /// Opens a room's log. A room that has none gets an empty one, of which nothing is stored before its first append: a
    /// room that is only looked at costs nothing.
    ///
    /// A log that is open keeps its epoch until `close`, also while nothing of it is stored.
    ///
    /// - Parameter keysSince: the publish keys of messages since then are told, in Unix milliseconds.
    func open(
        _ room: RoomKey,
        retention: HistorySettings,
        keysSince: Int64,
        for asker: ReadAsker,
        completion: @escaping @Sendable (Result<OpenedLog, EngineError>) -> Void
    )

    /// The room's log is not used any more: where it is empty and old, it may be forgotten. The next `open` begins another
    /// one then, with another epoch. An append that waits, and would begin the log, answers `.reset`.
    func close(_ room: RoomKey)

    /// Appends the entries, puts the tombstones in the place of their messages, and trims what `retention` does not keep:
    /// all of it, or nothing. A message that is not there any more, or is redacted already, stays as it is. The message
    /// that a tombstone takes the place of is overwritten, not only unlinked.
    func append(_ batch: LogBatch, completion: @escaping @Sendable (Result<AppendReceipt, EngineError>) -> Void)

    /// Ends the logs of these rooms, of which there may be many, one after the other; a room without a log is none the
    /// worse. Once a room's turn has come its messages are served to nobody; appends that were called before are stored
    /// before, or answer `.reset`; calls with its old `LogID` answer `.reset`; the next `open` begins an empty log with
    /// another epoch, and tells the publish keys of what was cleared: who sends such a message again brings nothing back. After
    /// a failure some are cleared, and the call can be repeated. Synced to the disk.
    ///
    /// Whichever rooms are named, also none: rooms that are not open, and of which nothing is stored, begin another log with
    /// the next `open`. A call that names none answers when the appends that were called before it and begin a log are
    /// stored, or refused because their rooms are not open: `rooms` shows all of them then.
    func clear(_ rooms: [RoomKey], completion: @escaping @Sendable (Result<Void, EngineError>) -> Void)

    /// Makes messages of an export the room's log, or goes on with it, in one step and synced to the disk. After each part
    /// the log has another epoch, so that calls with its `LogID` until then answer `.reset`: whoever has an append or a read
    /// under way opens the room again, and nobody takes the import for something that was published.
    func importLog(
        _ part: LogImport,
        completion: @escaping @Sendable (Result<ImportReceipt, LogImportError>) -> Void
    )

    /// The rooms of the channel of whose log something is stored, ordered by the bytes of their names.
    func rooms(in channel: ChannelID, completion: @escaping @Sendable (Result<[RoomName], EngineError>) -> Void)
}

package enum EngineError: Error, Equatable, Sendable {
    /// The storage is broken, or cannot be reached: try again later. After an append: outcome unknown.
    case unavailable
    /// Nothing was stored: the disk is read-only.
    case readOnly
    /// Nothing was stored: the disk is full.
    case full
    /// This log is no more (it was cleared, its file was moved aside): open the room again.
    case reset
    /// Nothing was appended to a new log: so many rooms are stored that there can be no other one.
    case tooManyRooms
}

/// An engine's own name of a log: valid as long as no call answers `EngineError.reset`.
package struct LogID: Hashable, Sendable {
    package let rawValue: Int64
    /// Which file the log is in; changes when a corrupt file is replaced.
    package let generation: Int
    /// For a log of which nothing was stored when it was opened.
    package let new: NewLog?

    package init(rawValue: Int64, generation: Int, new: NewLog? = nil) {
        self.rawValue = rawValue
        self.generation = generation
        self.new = new
    }

    /// The log of a room that no store has named: the same wherever the room's commands are taken.
    package init(of room: RoomKey, in epoch: Epoch) {
        self.init(rawValue: 0, generation: 0, new: NewLog(room: room, epoch: epoch))
    }
}

/// A log that its first append creates.
package struct NewLog: Hashable, Sendable {
    package let room: RoomKey
    package let epoch: Epoch

    package init(room: RoomKey, epoch: Epoch) {
        self.room = room
        self.epoch = epoch
    }
}

/// On whose behalf a log is opened or read: they take turns, and each has one read at a time.
package enum ReadAsker: Hashable, Sendable {
    case connection(ConnectionRef)
    /// Whoever calls the admin API by this name.
    case administrator(String)
    /// Publishers over REST, and imports.
    case outside
    /// Lookups of messages that are to be redacted.
    case broker
}

/// The state of a log when the engine opens it.
package struct OpenedLog: Equatable, Sendable {
    package var log: LogID
    package var epoch: Epoch
    /// The newest message's; 0 for a log that never had one. It outlives the messages themselves.
    package var lastSeq: UInt64
    /// The newest message's stamp: the next one must be greater.
    package var lastID: UniqueID?
    /// The oldest message that is still served; `lastSeq + 1` where none is.
    package var oldestSeq: UInt64
    /// The message before it went by its age, and not by number or pruning.
    package var hasExpired: Bool
    /// The newest message that an operator has pruned; 0: none was.
    package var prunedThrough: UInt64
    /// The messages since the time that was asked for, among the newest 100,000 and 2 MiB, that have a publish key, in
    /// ascending order of `seq`; also those that retention does not serve any more. Before them those of messages that were
    /// cleared, with the `seq` 0, up to 2 MiB too.
    package var recentKeys: [KeyedEntry]
    /// The redactions among the newest entries, 2,000 of them at least.
    package var redactions: RedactionIndex

    package struct KeyedEntry: Equatable, Sendable {
        /// 0: its log has ended.
        package var seq: UInt64
        package var key: PublishKey
        /// `LogEntry.tail`, perhaps without the message.
        package var tail: ByteBuffer

        package init(seq: UInt64, key: PublishKey, tail: ByteBuffer) {
            self.seq = seq
            self.key = key
            self.tail = tail
        }
    }

    package init(
        log: LogID,
        epoch: Epoch,
        lastSeq: UInt64,
        lastID: UniqueID?,
        oldestSeq: UInt64,
        hasExpired: Bool = false,
        prunedThrough: UInt64 = 0,
        recentKeys: [KeyedEntry],
        redactions: RedactionIndex = RedactionIndex()
    ) {
        self.log = log
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.lastID = lastID
        self.oldestSeq = oldestSeq
        self.hasExpired = hasExpired
        self.prunedThrough = prunedThrough
        self.recentKeys = recentKeys
        self.redactions = redactions
    }
}

/// A client's `message_id` and a digest of the body that came with it: the same id with another body is a conflict.
package struct PublishKey: Hashable, Sendable {
    package var id: UniqueID
    /// FNV-1a of the message's bytes (`StableHash`).
    package var digest: UInt64

    package init(id: UniqueID, digest: UInt64) {
        self.id = id
        self.digest = digest
    }
}

/// One entry of a log.
package struct LogEntry: Equatable, Sendable {
    package var seq: UInt64
    /// The id of its stamp; its milliseconds are the entry's time.
    package var id: UniqueID
    package var key: PublishKey?
    /// Here, where it takes no room of its own.
    package var kind: EntryKind
    /// The author's user, where the message does not say it.
    package var user: String?
    /// The bytes that `publish` and `history_message` frames of this message share, or those of the `message_redacted`
    /// frame: from `"id":` to the closing brace.
    package var tail: ByteBuffer

    package init(
        _ kind: EntryKind = .message,
        seq: UInt64,
        id: UniqueID,
        key: PublishKey? = nil,
        user: String? = nil,
        tail: ByteBuffer
    ) {
        self.kind = kind
        self.seq = seq
        self.id = id
        self.key = key
        self.user = user
        self.tail = tail
    }
}

/// The entries that one room appends in one go.
package struct LogBatch: Sendable {
    /// The one that has caused an append. Payers take turns.
    package enum Payer: Hashable, Sendable {
        case author(Author, ChannelID)
        /// Several, or somebody who is no author.
        case room(RoomKey)
    }

    /// `nil`: the broker, or an administrator.
    package var payer: Payer?
    package var log: LogID
    package var retention: HistorySettings
    package var durability: Durability
    /// Ascending without holes, beginning after the log's newest.
    package var entries: [LogEntry]
    /// The tombstones of messages that are in the log already.
    package var tombstones: [Tombstone]

    package init(
        log: LogID,
        retention: HistorySettings,
        durability: Durability,
        entries: [LogEntry],
        tombstones: [Tombstone] = [],
        payer: Payer? = nil
    ) {
        self.payer = payer
        self.log = log
        self.retention = retention
        self.durability = durability
        self.entries = entries
        self.tombstones = tombstones
    }
}

package struct AppendReceipt: Equatable, Sendable {
    /// The oldest message that is still served after the append.
    package var oldestSeq: UInt64
    /// The message before it went by its age, and not by number or pruning.
    package var hasExpired: Bool
    /// How the log is named from now on, where that is another name.
    package var log: LogID?

    package init(oldestSeq: UInt64, hasExpired: Bool = false, log: LogID? = nil) {
        self.oldestSeq = oldestSeq
        self.hasExpired = hasExpired
        self.log = log
    }

    /// The same where the log has this name from now on.
    package func named(_ log: LogID?) -> AppendReceipt {
        AppendReceipt(oldestSeq: self.oldestSeq, hasExpired: self.hasExpired, log: log)
    }
}

/// Which messages of a log to read.
package struct LogQuery: Equatable, Sendable {
    package enum Range: Equatable, Sendable {
        /// The oldest messages above this `seq`, up to and including `through`.
        case after(UInt64, through: UInt64)
        /// The newest messages below this `seq`.
        case before(UInt64)
    }

    package var log: LogID
    package var retention: HistorySettings
    package var range: Range
    /// The log's newest message when the query was asked, if that is known: how many messages are kept is counted from there,
    /// so that those which come until the read do not push out what was asked for.
    package var newest: UInt64?
    /// The page ends before the entry that would exceed one of these, but has at least one where there is one.
    package var maxCount: Int
    package var maxBytes: Int
    /// Now, in Unix milliseconds: what is older than the retention's age is not served.
    package var now: Int64
    package var asker: ReadAsker

    package init(
        log: LogID,
        retention: HistorySettings,
        range: Range,
        newest: UInt64? = nil,
        maxCount: Int,
        maxBytes: Int,
        now: Int64,
        asker: ReadAsker
    ) {
        self.log = log
        self.retention = retention
        self.range = range
        self.newest = newest
        self.maxCount = maxCount
        self.maxBytes = maxBytes
        self.now = now
        self.asker = asker
    }
}

package struct LogPage: Equatable, Sendable {
    /// Ascending by `seq`, also for `.before`, and without holes. `key` is not filled in.
    package var entries: [LogEntry]
    /// Whether messages of the asked range remain beyond this page.
    package var hasMore: Bool
    /// The oldest message that is still served.
    package var oldestSeq: UInt64
    /// The message before it went by its age, and not by number or pruning.
    package var hasExpired: Bool
    /// These messages, which would be on this page before or behind its entries, are damaged: nobody gets them any more.
    package var lost: ClosedRange<UInt64>?

    package init(entries: [LogEntry], hasMore: Bool, oldestSeq: UInt64, hasExpired: Bool = false) {
        self.entries = entries
        self.hasMore = hasMore
        self.oldestSeq = oldestSeq
        self.hasExpired = hasExpired
    }
}
