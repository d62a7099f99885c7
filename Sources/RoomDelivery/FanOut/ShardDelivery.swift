import RoomCore
import RoomModel

/// The delivery of a room's owner to one shard for one batch: the chunk, and what concerns that shard's connections.
struct ShardDelivery: Sendable {
    var key: RoomKey
    var epoch: Epoch
    var log: LogID?
    /// The history settings of the log.
    var retention: HistorySettings?
    /// The window from its start, for a shard that has no replica yet.
    var window: [Chunk]?
    var windowEnd: Int
    /// The lane of the batch.
    var lane: Lane
    /// The batch's chunk, for a shard with subscribers.
    var chunk: Chunk?
    var redacted: [Redacted] = []
    /// Chunks that have another wire format, in the place of those with their numbers.
    var replaced: [Chunk] = []
    /// Older chunks are dropped.
    var windowStart: Int
    private(set) var answers: [RoomAnswer] = []
    /// An admission is among the answers: each batch of the room asks for it, and would search all of them.
    private(set) var letsSomebodyIn = false
    /// The shard's last subscriber has gone.
    var dropsReplica = false

    /// A message of the log was redacted.
    struct Redacted: Sendable {
        /// The message's.
        var seq: UInt64
        /// Takes the place of the window's chunk with its number; `nil` where the window has the message no more.
        var chunk: Chunk?
    }

    /// Only what the shard's replica has to know of the room.
    init(of owned: OwnedRoom, _ view: RoomView) {
        self.key = owned.key
        self.lane = owned.laneOfBatch
        self.epoch = view.epoch
        self.log = view.log
        self.retention = view.history
        self.windowStart = owned.window.start
        self.windowEnd = owned.window.end
    }

    mutating func add(_ answer: RoomAnswer) {
        self.answers.append(answer)
        if case .joined = answer.content { self.letsSomebodyIn = true }
    }

    /// The place behind the first so many entries of the batch.
    func cursor(behind place: Int, _ format: WireFormat) -> Cursor {
        guard let chunk else { return Cursor(chunk: self.windowEnd, offset: 0) }
        return Cursor(chunk: chunk.number, offset: place == 0 ? 0 : chunk.end(ofEntry: place - 1, format))
    }
}
