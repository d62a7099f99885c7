import NIOCore
import RoomCore
import RoomModel

/// A batch that is stamped and encoded: the chunk to be, what the store has to commit, and what follows for whom.
struct EncodedBatch {
    var json = ByteBuffer()
    var text = ByteBuffer()
    var entries: [Chunk.Entry] = []
    var exclusions: [Chunk.Exclusion] = []
    /// The newest message before the batch.
    var seqBefore: UInt64
    /// Tails as ranges of `json`: slices are made when the bytes are complete.
    var stored: [StoredRange] = []
    /// What takes the place of messages that are in the log already.
    var tombstones: [Tombstone] = []
    var outcomes: [Outcome] = []
    /// The batch's messages: those of the log, and those that no log keeps.
    var logged = ShardCounters.Volume()
    var ephemeral = ShardCounters.Volume()

    struct StoredRange {
        var kind = LogEntry.Kind.message
        var seq: UInt64
        var id: UniqueID
        var key: PublishKey?
        var tail: Range<Int>
    }

    /// What happens to a connection once the batch has its place in the log.
    enum Outcome {
        case acknowledge(Acknowledgement)
        /// Let in behind the entries before this index.
        case attach(JoinCommand, seq: UInt64, snapshot: MemberSnapshot?, entry: Int)
        case detach(ConnectionRef, WireFormat)
        /// Taken out behind the entries before this index.
        case remove(ConnectionRef, WireFormat, KickCommand, entry: Int)
        case kicked(Origin, wasMember: Bool)
        case refuse(Origin, RequestError)
        case refuseJoin(JoinCommand, RequestError)
        case members(Origin, MemberSnapshot)
        case history(Origin, HistoryRequest, seq: UInt64)
        case located(Origin)
        case moderated(Origin, ModerationReceipt)
        case cleared(ShardDelivery.Cleared)
        case logReread(isNewEpoch: Bool, seq: UInt64, snapshot: MemberSnapshot?)
    }

    init(seqBefore: UInt64) {
        self.seqBefore = seqBefore
    }

    mutating func endEntry(
        _ kind: LogEntry.Kind = .message,
        seq: UInt64 = 0,
        excluding connection: ConnectionRef? = nil
    ) {
        if let connection {
            self.exclusions.append(Chunk.Exclusion(entry: self.entries.count, connection: connection))
        }
        self.entries.append(
            Chunk.Entry(
                jsonEnd: UInt32(self.json.writerIndex),
                textEnd: UInt32(self.text.writerIndex),
                seq: seq,
                kind: kind
            )
        )
    }

    var logEntries: [LogEntry] {
        self.stored.map { stored in
            let tail = self.json.getSlice(at: stored.tail.lowerBound, length: stored.tail.count)
            return LogEntry(
                stored.kind,
                seq: stored.seq,
                id: stored.id,
                key: stored.key,
                tail: tail ?? ByteBuffer()
            )
        }
    }

    func chunk(number: Int) -> Chunk {
        Chunk(
            number: number,
            json: self.json,
            text: self.text,
            entries: self.entries,
            exclusions: self.exclusions,
            seqBefore: self.seqBefore
        )
    }

    /// What is left when the commit has failed: presence and ephemeral entries, which the store has nothing to do with.
    func withoutStored() -> EncodedBatch {
        var rest = EncodedBatch(seqBefore: self.seqBefore)
        var kept: [Int] = []
        var starts = (json: 0, text: 0)
        for (index, entry) in self.entries.enumerated() {
            kept.append(rest.entries.count)
            if entry.seq == 0 {
                rest.append(self, json: starts.json..<Int(entry.jsonEnd), text: starts.text..<Int(entry.textEnd))
                rest.endEntry(excluding: self.exclusions.first { $0.entry == index }?.connection)
            }
            starts = (Int(entry.jsonEnd), Int(entry.textEnd))
        }
        kept.append(rest.entries.count)
        rest.ephemeral = self.ephemeral
        rest.outcomes = self.outcomes.map { $0.withoutStored(committed: self.seqBefore, entries: kept) }
        return rest
    }

    private mutating func append(_ other: EncodedBatch, json: Range<Int>, text: Range<Int>) {
        if let bytes = other.json.getSlice(at: json.lowerBound, length: json.count) {
            self.json.writeImmutableBuffer(bytes)
        }
        if let bytes = other.text.getSlice(at: text.lowerBound, length: text.count) {
            self.text.writeImmutableBuffer(bytes)
        }
    }
}

extension EncodedBatch.Outcome {
    /// The same where nothing after message `committed` has been stored; `entries` maps old entry indices to new ones.
    fileprivate func withoutStored(committed: UInt64, entries: [Int]) -> EncodedBatch.Outcome {
        let error = RequestError(
            .storageUnavailable,
            "it is unknown whether this message was stored; publish it again with the same message_id to be sure",
            retryAfterMilliseconds: 1_000
        )
        switch self {
        case .acknowledge(let acknowledgement) where acknowledgement.seq.map { $0 > committed } ?? false:
            return .refuse(acknowledgement.origin, acknowledgement.refused(error))
        case .attach(let join, let seq, let snapshot, let entry):
            return .attach(join, seq: min(seq, committed), snapshot: snapshot, entry: entries[entry])
        case .remove(let connection, let wireFormat, let kick, let entry):
            return .remove(connection, wireFormat, kick, entry: entries[entry])
        case .history(let origin, _, _), .located(let origin):
            return .refuse(origin, error.answering(origin.callback))
        case .moderated(let origin, .redacted):
            return .refuse(origin, Self.redactionUnknown)
        default:
            return self
        }
    }

    private static let redactionUnknown = RequestError(
        .storageUnavailable,
        "it is unknown whether the message was redacted; redact it again to be sure",
        retryAfterMilliseconds: 1_000
    )
}

/// The answer to a publish that has its place in the log.
struct Acknowledgement {
    var origin: Origin
    var room: RoomName
    var messageID: UniqueID?
    var stamp: Stamp
    var seq: UInt64?
    var isDuplicate = false

    func refused(_ error: RequestError) -> RequestError {
        error.answering(self.origin.callback, aboutPublishTo: self.room, self.messageID)
    }
}
