import RoomCore
import RoomDelivery
import RoomModel

/// Records of the logs, as they reach the rooms of this node.
extension LogSequencer {
    /// A partition is as its log has made it before anybody came to this node.
    func began(_ partition: Partition?) {
        guard let partition else { return }
        for key in partition.roomKeys {
            guard let members = partition[key]?.members.count, members > 0, let owned = self.owner.room(key) else {
                continue
            }
            self.count(owned, members: members)
        }
        self.owner.context.wake()
    }

    /// The log has shown this: it is sealed as what a lone broker has committed.
    ///
    /// - Parameter isOurs: it came through this node.
    func applied(_ batch: Partition.Batch, _ encoded: EncodedBatch, isOurs: Bool) {
        // it is gone where the channel is not known here
        guard let owned = self.owner.room(batch.room) else { return }
        let room = self.order(of: owned)
        // the shards hear of it with what their members are told
        if room.view.epoch != batch.view.epoch { self.owner.clearWindow(of: owned) }
        room.saw(batch.view)
        self.owner.seal(encoded, of: owned, room.view, isOurs: isOurs)
        self.count(owned, members: batch.view.members)
        self.owner.trackIfDormant(owned)
    }

    private func count(_ owned: OwnedRoom, members: Int) {
        self.countInChannel(owned, members: members)
        self.owner.list(owned, members: members)
        self.owner.countAsHeld(owned, members > 0)
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
