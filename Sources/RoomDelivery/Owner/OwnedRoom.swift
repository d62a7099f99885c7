import DequeModule
import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// A room on its owner loop: the pure `Room` that orders, and what is needed to encode and deliver.
final class OwnedRoom {
    var room: Room
    let key: RoomKey
    let writer: PublishWriter
    var window = ChunkWindow()
    var windowBytes = 0
    /// How many subscribers each shard has.
    var subscribers: [Int]
    var textSubscribers = 0
    var redactions = NewestRedactions()
    /// Encoded, and at the store.
    var inFlight: EncodedBatch?
    /// Waits in the shard's queue to be advanced.
    var isQueued = false
    /// Waits in the shard's queue of rooms without members.
    var isDormant = false
    /// The shard has let go of it.
    var isForgotten = false

    var hasHistory: Bool { self.room.hasHistory }
    /// What the directory was told.
    var listedMembers = 0
    /// Nobody has entered it or published into it since it was empty.
    var isNew = true

    /// Whether a connection is in the room, on any shard.
    var hasSubscribers: Bool { self.subscribers.contains { $0 > 0 } }

    init(room: Room, shards: Int) {
        self.room = room
        self.key = room.key
        self.writer = PublishWriter(room: room.key.room)
        self.subscribers = Array(repeating: 0, count: shards)
    }
    // MARK: The memory window

    /// The `seq` of a message of the window, by its id.
    func find(_ id: UniqueID) -> UInt64? {
        for chunk in self.window.chunks {
            var start = 0
            for entry in chunk.entries {
                if entry.seq > 0, entry.kind != .redaction, self.writer.isMessage(id, at: start, of: chunk.json) {
                    return entry.seq
                }
                start = Int(entry.jsonEnd)
            }
        }
        return nil
    }

    /// Puts a tombstone in the place of its message.
    ///
    /// - Returns: the chunk that had the message, and the one in its place; `nil` where the window does not have it.
    func redact(_ tombstone: Tombstone) -> (old: Chunk, new: Chunk)? {
        guard let (chunk, entry) = self.window.place(of: tombstone.seq), chunk.entries[entry].kind == .message else {
            return nil
        }
        var frame = ByteBuffer()
        self.writer.writeStored(tombstone.tail, into: &frame)
        frame.writeStaticString("\n")
        let redacted = chunk.redacting(entry: entry, with: frame)
        _ = self.window.replace(with: redacted)
        self.windowBytes += redacted.size - chunk.size
        return (chunk, redacted)
    }

    /// Remembers what was redacted for pages of the log that are being read.
    func noteRedactions(_ outcomes: [EncodedBatch.Outcome]) {
        for case .moderated(_, .redacted(let receipt)) in outcomes {
            self.redactions.add(receipt, in: self.room.epoch)
        }
    }
}
