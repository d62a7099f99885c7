import RoomCore
import RoomModel

/// The memory windows of the rooms: the newest chunks, which late and slow members are served from.
extension RoomOwner {
    func append(_ chunk: Chunk, to owned: OwnedRoom) {
        owned.append(chunk)
        self.budget.added(chunk, in: owned)
        self.boundWindows(sparing: owned)
    }

    /// Chunks of the room's window were made to fit more members, which takes bytes, too.
    func shrinkWindows(from owned: OwnedRoom) {
        let start = owned.window.start
        self.boundWindows(sparing: owned)
        if owned.window.start != start { self.sendWindowStart(of: owned) }
    }

    /// - Parameter owned: its newest chunk stays, which is about to be delivered. Its subscribers hear of its window with
    ///   that chunk.
    func boundWindows(sparing owned: OwnedRoom) {
        while owned.window.bytes > self.context.limits.windowPerRoom, owned.window.chunks.count > 1 {
            self.dropOldest(of: owned)
        }
        while let other = self.budget.next(sparing: owned) {
            self.dropOldest(of: other)
            if other !== owned { self.sendWindowStart(of: other) }
        }
    }

    func dropOldest(of owned: OwnedRoom) {
        if let chunk = owned.dropOldest() { self.budget.removed(chunk) }
    }

    func sendWindowStart(of owned: OwnedRoom) {
        ShardDeliveryBuilder(of: owned, owned.order.view, on: self.context.environment.node)
            .send { self.context.deliver($0, to: $1) }
    }

    /// Puts tombstones into the window.
    func redactWindow(of owned: OwnedRoom, _ tombstones: [Tombstone]) -> [ShardDelivery.Redacted] {
        tombstones.map { tombstone in
            guard let (old, redacted) = owned.redact(tombstone) else {
                return ShardDelivery.Redacted(seq: tombstone.seq, chunk: nil)
            }
            self.budget.replaced(old, with: redacted)
            return ShardDelivery.Redacted(seq: tombstone.seq, chunk: redacted)
        }
    }

    /// The log goes on elsewhere than its window ends: what is missing between would be a hole that nobody sees.
    func restartWindow(of owned: OwnedRoom) {
        self.clearWindow(of: owned)
        self.sendWindowStart(of: owned)
        self.tellWatches(of: owned)
    }

    package func clearWindow(of owned: OwnedRoom) {
        while !owned.window.chunks.isEmpty { self.dropOldest(of: owned) }
    }
}
