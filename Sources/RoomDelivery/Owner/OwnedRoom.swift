import DequeModule
import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// A room on its owner loop: the pure `Room`, which orders and holds all that is replayed, and beside it what is encoded
/// and delivered of it here.
final class OwnedRoom: LaneMember, ListedRoom {
    private(set) var room: Room
    /// The room's channel, as it is now; the room itself has its settings when their turn comes.
    private(set) var channel: RoomChannel
    /// Is told of all that changes the room.
    private let recorder: (any RoomRecorder)?
    let key: RoomKey
    let encoder: JSONLinesEncoder
    private(set) var window = ChunkWindow()
    /// The shards that were sent the window and have subscribers.
    var replicas: [Bool]
    var redactions = NewestRedactions()
    /// Encoded, and at the store.
    var inFlight: EncodedBatch?
    /// Where it waits to be advanced.
    var lane: Lane?
    var listIndex = 0
    var use = RoomUse()
    var activity = RoomActivity()
    /// The lanes of the commands that no batch has taken yet, and of the latest batch.
    var laneOfCommands = Lane.bulk
    var laneOfBatch = Lane.bulk
    /// Waits in the owner's queue of rooms without members.
    var isDormant = false
    /// The owner has forgotten it.
    var isForgotten = false
    /// The number of members that the directory was told.
    var listedMembers = 0
    /// It has members or is about to get one, and counts as such a room.
    var countsAsHeld = false
    /// Its publish keys, as the owner's budget has counted them.
    var countedKeys = KeyBudget.Holding()
    /// The turn in which somebody was last charged for its writes.
    private var chargedTurn = -1
    /// Its messages that are not stored yet, as the owner's backlog has counted them.
    var unstored = CommitBacklog.Holding()
    /// Nobody has entered it or published into it since it was empty.
    var isNew = true
    /// It has members, or has had some.
    var hasHadMembers = false

    init(room: Room, of channel: RoomChannel, shards: Int, recorder: (any RoomRecorder)? = nil) {
        self.room = room
        self.channel = channel
        self.recorder = recorder
        self.key = room.key
        self.encoder = JSONLinesEncoder(room: room.key.room)
        self.replicas = Array(repeating: false, count: shards)
    }

    // MARK: All that changes the room

    func enqueue(_ command: RoomCommand, left: Int = .max) -> RoomAnswer? {
        let refusal = self.room.enqueue(command, left: left)
        self.recorder?.took(.command(command, left: left, refusal: refusal), in: self.key)
        return refusal
    }

    func advance() -> Room.Action {
        let action = self.room.advance()
        self.recorder?.took(.advance(action), in: self.key)
        return action
    }

    func takeBatch(_ turn: RoomTurn) -> RoomBatch {
        let batch = self.room.takeBatch(turn)
        self.recorder?.took(.turn(turn, batch), in: self.key)
        return batch
    }

    /// - Returns: whether the log has to be opened now.
    @discardableResult
    func storeReported(_ report: StoreReport) -> Bool {
        let opensLog = self.room.storeReported(report)
        self.recorder?.took(.store(report, opensLog: opensLog), in: self.key)
        return opensLog
    }

    /// The channel has changed.
    ///
    /// - Parameter epoch: that of the room if it has no history from now on.
    func channelChanged(_ channel: RoomChannel, epoch: Epoch, _ limits: BrokerLimits) {
        self.channel = channel
        _ = self.enqueue(.settings(channel.roomSettings(of: self.key.room, limits), epoch: epoch))
    }

    func adoptNextSettings() {
        self.room.adoptNextSettings()
        self.recorder?.took(.adoptSettings, in: self.key)
    }

    func forgetKeys(before second: UInt32) {
        self.room.forgetKeys(before: second)
        self.recorder?.took(.forgetKeys(before: second), in: self.key)
    }

    /// Whether somebody is there to be told.
    func hasListeners(_ view: RoomView) -> Bool { view.members > 0 || self.replicas.contains(true) }

    /// The work that a message causes: to write it to each subscriber. The messages of one turn in a room are written
    /// at once, so the first one pays for the writes, but for those who get each line in a write of its own.
    func work(ofDelivering bytes: Int, in turn: Int) -> Int {
        let subscribers = self.room.subscribers
        let writes = self.chargedTurn == turn ? subscribers.writtenOneByOne : subscribers.total
        self.chargedTurn = turn
        return subscribers.total * bytes / 8_192 + writes * Work.write(bytes: 0)
    }

    // MARK: The memory window

    func append(_ chunk: Chunk) {
        self.window.append(chunk)
    }

    /// Drops the oldest chunk.
    func dropOldest() -> Chunk? {
        guard let chunk = self.window.chunks.first else { return nil }
        self.window.trim(before: chunk.number + 1)
        return chunk
    }

    /// The `seq` of a message of the window, by its id.
    func find(_ id: UniqueID) -> UInt64? {
        for chunk in self.window.chunks {
            let bytes = chunk.bytes(.canonical)
            for (index, entry) in chunk.entries.enumerated() where entry.seq > 0 && entry.kind != .redaction {
                let start = chunk.range(ofEntry: index, .canonical).lowerBound
                if self.encoder.writer.isMessage(id, at: start, of: bytes) { return entry.seq }
            }
        }
        return nil
    }

    /// An entry of the window as the store would have it.
    func logEntry(_ seq: UInt64) -> LogEntry? {
        guard let (chunk, index) = self.window.place(of: seq) else { return nil }
        let (frame, bytes) = (chunk.range(ofEntry: index, .canonical), chunk.bytes(.canonical))
        guard let tail = self.encoder.writer.tail(from: frame.lowerBound, to: frame.upperBound, of: bytes),
            let id = PublishWriter.id(ofTail: tail)
        else { return nil }
        return LogEntry(chunk.entries[index].kind, seq: seq, id: id, tail: tail)
    }

    /// Puts a tombstone in the place of its message.
    ///
    /// - Returns: the chunk that had the message, and the one in its place; `nil` where the window does not have it.
    func redact(_ tombstone: Tombstone) -> (old: Chunk, new: Chunk)? {
        guard let (chunk, entry) = self.window.place(of: tombstone.seq), chunk.entries[entry].kind == .message else {
            return nil
        }
        var frame = ByteBuffer()
        WireFormat.canonical.write(
            stored: LogEntry(.tombstone, seq: tombstone.seq, id: tombstone.id, tail: tombstone.tail),
            chunk.epoch,
            index: nil,
            self.encoder.writer,
            into: &frame
        )
        let redacted = chunk.redacting(entry: entry, with: frame)
        _ = self.window.replace(with: redacted)
        return (chunk, redacted)
    }

    /// Has the window have what a subscriber is to get of it in the subscriber's format.
    ///
    /// - Returns: the chunks that did not have the format, and the ones in their places.
    func provide(_ admission: Admission) -> [(old: Chunk, new: Chunk)] {
        guard case .window(let after) = admission.grant.replay else { return [] }
        return self.window.provide(admission.join.wireFormat, above: after)
    }

    /// Where a subscriber starts that is let in with the newest batch.
    func grant(_ admission: Admission, _ view: RoomView) -> JoinGrant {
        let (join, seq) = (admission.join, admission.grant.seq)
        let windowAfter = join.needsStore ? self.window.start(in: join.wireFormat) ?? seq : seq
        return view.grant(join, seq: seq, windowAfter: windowAfter)
    }
}
