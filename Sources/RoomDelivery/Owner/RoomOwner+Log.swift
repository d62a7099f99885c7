import RoomCore
import RoomModel

/// Rooms whose order is the log of their partition.
extension RoomOwner {
    /// The log has shown this: it is sealed as what a lone broker has committed.
    func applied(_ batch: Partition.Batch, _ encoded: EncodedBatch) {
        // it is gone where the channel is not known here
        guard let owned = self.room(batch.room), case .log(let logged) = owned.order else { return }
        // the shards hear of it with what their members are told
        if logged.view.epoch != batch.view.epoch { self.clearWindow(of: owned) }
        logged.saw(batch.view)
        self.context.busyRooms.spent(encoded.work, on: owned)
        _ = self.seal(encoded, of: owned, logged.view)
        self.countInChannel(owned, members: batch.view.members)
        self.list(owned, members: batch.view.members)
        self.countAsHeld(owned, batch.view.members > 0)
        self.trackIfDormant(owned)
    }

    /// The partition has seen to it that there are not too many.
    private func countInChannel(_ owned: OwnedRoom, members: Int) {
        switch (owned.listedMembers > 0, members > 0) {
        case (false, true): _ = owned.channel.usage.roomBecameActive(limit: .max)
        case (true, false): owned.channel.usage.roomBecameDormant()
        case (true, true), (false, false): break
        }
    }
}
