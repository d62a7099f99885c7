import RoomCore
import RoomModel

/// The rooms of a partition that have no members, those first that were used least recently.
struct RoomsWithoutMembers {
    /// The most rooms that are as they were.
    let limit: Int
    /// They are as they were.
    private(set) var whole = InsertionOrderedDictionary<RoomKey, Bool>()
    /// They have only what the messages of their history and their rules need; with the steady time at which they lost the rest.
    /// In the order in which they were looked at.
    private(set) var bare = InsertionOrderedDictionary<RoomKey, Int64>()

    /// So many bare rooms are looked at with each record.
    static let lookedAt = 2

    /// A record had commands for the room.
    mutating func used(_ room: RoomKey, hasMembers: Bool) {
        self.remove(room)
        if !hasMembers { self.whole[room] = true }
    }

    mutating func remove(_ room: RoomKey) {
        self.whole.removeValue(forKey: room)
        self.bare.removeValue(forKey: room)
    }

    /// Takes out the one that was used least recently, if there are too many.
    mutating func popOldest() -> RoomKey? {
        guard self.whole.count > self.limit, let oldest = self.whole.first?.key else { return nil }
        self.whole.removeValue(forKey: oldest)
        return oldest
    }

    /// It has lost what it can do without.
    mutating func isBare(_ room: RoomKey, since time: Int64) { self.bare[room] = time }

    /// Takes out the bare room that was looked at least recently.
    mutating func popBare() -> (room: RoomKey, since: Int64)? {
        guard let (room, since) = self.bare.first else { return nil }
        self.bare.removeValue(forKey: room)
        return (room, since)
    }
}
