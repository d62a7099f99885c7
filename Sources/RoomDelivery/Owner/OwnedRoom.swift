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
}
