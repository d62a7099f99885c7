package import RoomCore
package import RoomDelivery
import RoomModel

/// A shard of a node of a cluster: what the node asks of the partitions that the shard owns, on its event loop.
extension RoomShard {
    private var log: LogSequencer? { self.owner.sequencer as? LogSequencer }

    private func partition(_ number: Int) -> OwnedPartition? { self.log?.partitions[number] }

    /// Begins to follow the partitions, once all shards know each other.
    package func followPartitions() {
        self.log?.follow()
        self.watchProof()
    }

    /// Follows them no more.
    package func closePartitions() {
        self.endWatch()
        self.log?.close()
    }

    /// The nodes of the cluster that the logs know as alive, this one among them, and when a record of each has counted last
    /// (monotonic, in nanoseconds).
    var nodes: [NodeNumber: UInt64] {
        self.log?.partitions.values.reduce(into: [:]) { $0.merge($1.followed.nodes, uniquingKeysWith: max) } ?? [:]
    }

    /// Through which place each partition is applied; none where nothing is.
    var partitionPlaces: [Int: LogOffset] {
        self.log?.partitions.compactMapValues { $0.followed.partition?.accepted.place } ?? [:]
    }

    /// Calls when the rooms of a partition are as far as a place of its log; at once where they serve nobody yet.
    ///
    /// - Parameter completion: is never called where too many wait, or the partition is not followed any more.
    func whenApplied(_ place: LogOffset, in partition: Int, _ completion: @escaping @Sendable () -> Void) {
        self.partition(partition)?.whenApplied(place, completion)
    }

    /// Calls when the history has everything that the rooms of a partition have now; with `false` where it cannot be written, or the
    /// shard does not own the partition.
    func whenStored(_ partition: Int, _ completion: @escaping @Sendable (Bool) -> Void) {
        guard let followed = self.partition(partition)?.followed else { return completion(false) }
        followed.whenStored { result in completion((try? result.get()) != nil) }
    }

    /// Has the rooms of a partition as they are now stored in the node's history, with all that they have: a node that starts with it needs
    /// nothing of the log from before.
    ///
    /// - Parameter completion: whether they are; called once, after 15 seconds at the latest.
    func storeSnapshot(of partition: Int, _ completion: @escaping @Sendable (Bool) -> Void) {
        guard let partition = self.partition(partition) else { return completion(false) }
        partition.storeSnapshot(completion)
    }

    /// Another node of the cluster does not live any more: its members linger. To be called once a second until `nodes` does not
    /// have it.
    package func nodeGone(_ node: NodeNumber) {
        for partition in self.log?.partitions.values ?? [:].values { partition.followed.addGone(node) }
    }

    /// Redacted texts that the logs of the shard's partitions still have.
    var erasures: [PendingErasure] {
        (self.log?.partitions ?? [:]).flatMap { number, partition in
            let rooms = partition.followed.partition
            return (rooms?.erasures ?? []).map { erasure in
                PendingErasure(partition: number, erasure, rooms?[erasure.room])
            }
        }
    }

    /// The log of a partition has the text of this redacted message no more.
    func textErased(_ message: UniqueID, in partition: Int) {
        self.partition(partition)?.followed.addErased(message)
    }

    /// Reads a room of a partition from the node's history.
    func read(
        _ query: LogQuery,
        in partition: Int,
        _ completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void
    ) {
        guard let reader = self.partition(partition)?.reader else { return completion(.failure(.unavailable)) }
        reader.read(query, completion: completion)
    }

    /// Has messages of a room deleted on all nodes.
    ///
    /// - Parameter completion: whether the log has it; called once, on the shard's event loop.
    func prune(_ room: RoomKey, through place: Position, _ completion: @escaping @Sendable (Bool) -> Void) {
        guard let partition = self.log?.partition(of: room) else { return completion(false) }
        partition.prune(room, through: place, completion)
    }

    /// Has a part of an export become messages of a room on all nodes.
    ///
    /// - Parameter completion: what has become of it; `nil`: nobody knows. Called once, on the shard's event loop.
    func importLog(_ part: LogImport, _ completion: @escaping @Sendable (ImportRecord.Outcome?) -> Void) {
        guard let log, let partition = log.partition(of: part.room), let owned = self.owner.room(part.room) else {
            return completion(nil)
        }
        self.owner.trackIfDormant(owned)
        let part = ImportRecord(
            room: part.room,
            settings: log.order(of: owned).settings,
            after: part.after,
            entries: part.entries
        )
        partition.importPart(part, completion)
    }

    /// The log of a room as it is now; `nil`: the room has none.
    func logID(of room: RoomKey) -> LogID? {
        guard let owned = self.owner.room(room) else { return nil }
        // it may be forgotten where nobody is in it
        self.owner.trackIfDormant(owned)
        return owned.order.view.log
    }
}
