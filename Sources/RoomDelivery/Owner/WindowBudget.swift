import DequeModule

/// Bounds what the memory windows of all rooms of a shard cost together: beyond it the oldest chunk of all goes first.
struct WindowBudget {
    private var order: Deque<(room: OwnedRoom, chunk: Int)> = []
    private var live = 0
    private(set) var bytes = 0
    var limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    mutating func added(_ chunk: Chunk, in room: OwnedRoom) {
        self.order.append((room, chunk.number))
        self.live += 1
        self.bytes += chunk.size
        if self.order.count > 2 * self.live + 64 {
            self.order.removeAll { $0.chunk < $0.room.window.start }
        }
    }

    mutating func removed(_ chunk: Chunk) {
        self.live -= 1
        self.bytes -= chunk.size
    }

    mutating func replaced(_ chunk: Chunk, with other: Chunk) {
        self.bytes += other.size - chunk.size
    }

    /// The room whose oldest chunk has to go now; `nil` within the budget, or where all that is left is the newest chunk
    /// of the room that is spared.
    mutating func next(sparing room: OwnedRoom? = nil) -> OwnedRoom? {
        while self.bytes > self.limit, let oldest = self.order.first {
            if let room, oldest.room === room, oldest.chunk == room.window.end - 1 { return nil }
            self.order.removeFirst()
            if oldest.chunk >= oldest.room.window.start { return oldest.room }
        }
        return nil
    }
}
