import RoomCore

/// Bounds what the messages take that the rooms of a shard have accepted and not stored yet: those that wait in a room,
/// and those of its batch that is at the store.
///
/// A room may let as much wait as is left of the total (the dynamic threshold of shared buffers, A. Choudhury and
/// E. Hahne, 1998): however many rooms somebody floods, something is left for a room with few messages.
package struct CommitBacklog {
    package private(set) var bytes = 0
    private let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that a room may let wait.
    package var left: Int { self.limit - self.bytes }

    /// Other messages of the room may wait than before.
    mutating func changed(_ ordered: LoopRoom) {
        self.count(ordered.room.waitingBytes + ordered.unstored.atStore, in: &ordered.unstored)
    }

    /// So many bytes of a room are not stored yet.
    package mutating func count(_ bytes: Int, in holding: inout Holding) {
        self.bytes += bytes - holding.counted
        holding.counted = bytes
    }

    /// So much of the room is at the store now.
    mutating func atStore(_ bytes: Int, _ ordered: LoopRoom) {
        ordered.unstored.atStore = bytes
        self.changed(ordered)
    }

    /// The owner has forgotten the room.
    mutating func removed(_ ordered: LoopRoom) {
        self.count(0, in: &ordered.unstored)
        ordered.unstored = Holding()
    }

    /// The counts of one room, in bytes.
    package struct Holding {
        package fileprivate(set) var counted = 0
        fileprivate var atStore = 0

        package init() {}
    }
}
