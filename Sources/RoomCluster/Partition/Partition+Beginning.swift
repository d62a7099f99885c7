package import RoomCore
import RoomModel

extension Partition {
    /// A partition before its first record: its rooms go on where the broker has ended, in the same epoch.
    ///
    /// - Parameters:
    ///   - newestID: in Unix milliseconds; every id that the broker has given is of this time or earlier.
    ///   - limits: as for any partition.
    package init(_ rooms: some Sequence<StandaloneRoom>, newestID: Int64, limits: BrokerLimits) {
        self.init(limits: limits)
        self.forgottenIDs = newestID
        // in the order in which a snapshot has them
        for kept in rooms.sorted(by: { $0.key.precedes($1.key) }) {
            self.add(PartitionRoom(Room(kept, limits: self.limits), idsAfter: newestID))
            self.empty.used(kept.key, hasMembers: false)
        }
        self.countKeys()
    }
}
