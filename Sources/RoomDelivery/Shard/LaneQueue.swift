import DequeModule

/// The class of a room's work, by those who have caused it: as with the sparse and the bulk flows of RFC 8290
/// (FQ-CoDel), who does little does not wait behind the rooms of who does much.
enum Lane: Sendable {
    /// A flow that works while its share has credit, or the broker itself.
    case sparse
    /// A flow that has used its share, and works in its turns (`FairQueue`).
    case bulk
}

/// A room that can wait in a `LaneQueue`.
protocol LaneMember: AnyObject {
    /// Where it waits; the queue sets it.
    var lane: Lane? { get set }
}

/// Rooms that wait for their turn, each once.
struct LaneQueue<Room: LaneMember> {
    private var sparse: Deque<Room> = []
    /// May have rooms that have moved to the other lane since.
    private var bulk: Deque<Room> = []

    var isEmpty: Bool { self.sparse.isEmpty && self.bulk.isEmpty }

    /// A room that waits as bulk can become sparse, not the other way round.
    mutating func append(_ room: Room, to lane: Lane) {
        switch (room.lane, lane) {
        case (.sparse, _), (.bulk, .bulk): return
        case (_, .sparse): self.sparse.append(room)
        case (nil, .bulk): self.bulk.append(room)
        }
        room.lane = lane
    }

    mutating func popFirst(of lane: Lane) -> Room? {
        while let room = lane == .sparse ? self.sparse.popFirst() : self.bulk.popFirst() {
            guard room.lane == lane else { continue }
            room.lane = nil
            return room
        }
        return nil
    }
}
