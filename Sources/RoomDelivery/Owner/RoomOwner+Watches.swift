import DequeModule
import RoomCore
import RoomModel

/// Rooms that are followed by somebody who is not in them.
extension RoomOwner {
    /// The chunks that the room seals from now on go to the watch, too. Where the room keeps no history, so do the
    /// chunks of its window above `position`.
    ///
    /// - Returns: whether the store has what was before; `nil` where the channel has been deleted.
    func watch(_ key: RoomKey, _ watch: RoomWatch, after position: Position?) -> Bool? {
        guard let channel = self.context.channels[key.channel] else { return nil }
        self.watches.add(watch, of: key)
        let hasHistory = self.rooms[key].map { $0.order.view.history != nil } ?? (channel.history(of: key.room) != nil)
        guard !hasHistory, let position, let owned = self.rooms[key] else { return hasHistory }
        let chunks = owned.window.chunks.filter { $0.epoch == position.epoch && $0.lastSeq > position.seq }
        watch.add(chunks.first.map { Position(epoch: $0.epoch, seq: $0.seqBefore) } ?? owned.order.view.position)
        for chunk in chunks { watch.add(chunk) }
        return false
    }

    /// The room's log is another one from now on, or has this chunk more.
    func tellWatches(of owned: OwnedRoom, _ chunk: Chunk? = nil) {
        self.watches.tell(owned.key) { watch in
            if let chunk { watch.add(chunk) } else { watch.isAt(owned.order.view.position) }
        }
    }
}
