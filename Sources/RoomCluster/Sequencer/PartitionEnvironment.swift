package import RoomCore
import RoomDelivery
import RoomModel

/// What a node needs to follow a partition. All but the node's number, its log and its history has to be the same on all nodes.
struct PartitionEnvironment: Sendable {
    var partition: Int
    /// Names the logs of all partitions: a place means nothing in others.
    var logName: String
    /// The partition had no rooms before the first record.
    package var beginsEmpty: Bool = true
    /// This life of the node: no other one had it.
    var node: NodeNumber
    var limits: BrokerLimits
    /// Makes the node's way to the log, for each time that it begins to follow it.
    var log: @Sendable () -> any PartitionLog
    var history: any ProjectedHistory
    /// The node's proof of life, which the partition renews; `nil`: nobody goes by one.
    var proof: ProofOfLife?

    /// The partition as the history has it, at the place of its snapshot.
    func partition(of found: ProjectedPartition) throws(RecordError) -> Partition {
        guard let snapshot = found.snapshot else { return Partition(limits: self.limits) }
        return try Partition(decoding: snapshot, limits: self.limits)
    }
}

/// Why a node cannot follow a partition any more.
package enum PartitionFailure: Error, Equatable, Sendable {
    /// The node's history cannot follow this log.
    case history(ProjectionError)
    /// The node's history has lost what the partition had before the first record.
    case noBeginning
    /// The snapshot in the node's history cannot be read.
    case snapshot(RecordError)
    /// The log begins with `first` by now, behind what the node's history has: it needs another node's backup.
    case lost(first: LogOffset)
    /// The log ends with `last`, before what the node has applied.
    case behind(last: LogOffset)
    /// The log has another record in this place than the one that the node has applied.
    case differs(LogOffset)
    /// A record cannot be read: perhaps a newer version has written it.
    case unreadable(LogOffset, RecordError)
    /// A record was erased, and nobody can say yet what it was.
    case erased(LogOffset)
    /// The others have taken this node for dead: it has to begin a new life.
    case declaredDead
}
