import DequeModule
import NIOCore
package import RoomCore
package import RoomModel
import RoomWire

/// A room on its owner loop: what is encoded and delivered of it here. The room itself, which orders and holds all that is
/// replayed, is its `order`'s.
package final class OwnedRoom: ListedRoom, LaneMember {
    package let key: RoomKey
    /// Made by the shard's sequencer.
    package let order: any RoomOrder
    /// The room's channel, as it is now; the room itself has its settings when their turn comes.
    package internal(set) var channel: RoomChannel
    let encoder: JSONLinesEncoder
    private(set) var window = ChunkWindow()
    /// The shards that were sent the window and have subscribers.
    var replicas: [Bool]
    var redactions = NewestRedactions()
    var listIndex = 0
    var use = RoomUse()
    var activity = RoomActivity()
    /// The lane in which it waits for its turn.
    var lane: Lane?
    /// The lane of the commands that the latest batch has taken.
    var laneOfBatch = Lane.bulk
    /// Waits in the owner's queue of rooms without members.
    var isDormant = false
    /// The owner has forgotten it.
    var isForgotten = false
    /// The number of members that the directory was told.
    package internal(set) var listedMembers = 0
    /// It has members or is about to get one, and counts as such a room.
    var countsAsHeld = false
    /// The turn in which somebody was last charged for its writes.
    private var chargedTurn = -1
    /// Clients that have said nothing yet may be told of it later: what happens in it is kept while nobody is there, too.
    var isHeardLater = false
    /// Nobody has entered it or published into it since it was empty.
    var isNew = true
    /// It has members, or has had some.
    var hasHadMembers = false

    init(_ key: RoomKey, of channel: RoomChannel, orderedBy order: any RoomOrder, shards: Int) {
        self.key = key
        self.channel = channel
        self.order = order
        self.encoder = JSONLinesEncoder(room: key.room)
        self.replicas = Array(repeating: false, count: shards)
    }

    /// Whether somebody is there to be told.
    func hasListeners(_ view: RoomView) -> Bool { view.members > 0 || self.replicas.contains(true) }

    /// The work that a message causes: to write it to each subscriber. The messages of one turn in a room are written
    /// at once, so the first one pays for the writes, but for those who get each line in a write of its own.
    func work(ofDelivering bytes: Int, in turn: Int) -> Int {
        let subscribers = self.order.subscribers
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
            for (index, entry) in chunk.entries.enumerated() where entry.seq > 0 && entry.kind.isMessage {
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
        return LogEntry(chunk.entries[index].kind, seq: seq, id: id, user: chunk.user(ofEntry: index), tail: tail)
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
