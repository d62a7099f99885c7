import RoomCore
import RoomModel

/// Rooms whose order is the log of their partition.
extension RoomOwner {
    /// A partition is as its log has made it before anybody came to this node.
    func began(_ partition: Partition?) {
        guard let partition else { return }
        for key in partition.roomKeys {
            guard let members = partition[key]?.members.count, members > 0, let owned = self.room(key) else { continue }
            self.count(owned, members: members)
        }
        self.context.wake()
    }

    /// The log has shown this: it is sealed as what a lone broker has committed.
    ///
    /// - Parameter isOurs: it came through this node, which counts the messages then, so that the sum over all nodes counts each once.
    func applied(_ batch: Partition.Batch, _ encoded: EncodedBatch, isOurs: Bool) {
        // it is gone where the channel is not known here
        guard let owned = self.room(batch.room), case .log(let logged) = owned.order else { return }
        // the shards hear of it with what their members are told
        if logged.view.epoch != batch.view.epoch { self.clearWindow(of: owned) }
        logged.saw(batch.view)
        self.context.busyRooms.spent(encoded.work, on: owned)
        _ = self.seal(encoded, of: owned, logged.view, isOurs: isOurs)
        self.count(owned, members: batch.view.members)
        self.trackIfDormant(owned)
    }

    private func count(_ owned: OwnedRoom, members: Int) {
        self.countInChannel(owned, members: members)
        self.list(owned, members: members)
        self.countAsHeld(owned, members > 0)
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
