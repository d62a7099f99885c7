import RoomCore
import RoomDelivery

/// Is told on the partition's event loop what its records bring about on this node.
protocol PartitionDelegate: AnyObject {
    /// A record was applied: what its rooms tell can be delivered, for it is in the log.
    func applied(_ record: AppliedRecord)

    /// Answers to commands of this node's that have no place in the log, as far as anybody knows.
    func answered(_ answers: [RecordSender.Answer])

    /// `FollowedPartition.state` is another one.
    func partitionChanged(to state: PartitionState)
}

/// A record that was applied, with the bytes of its batches.
struct AppliedRecord {
    var place: LogOffset
    var batches: [Partition.Batch]
    /// Of each batch.
    var encoded: [EncodedBatch]
    /// The messages that it has taken out of a room's log.
    var pruned: Partition.PrunedLog?
    /// What has become of the import that it was.
    var imported: ImportRecord.Outcome?
    /// The commands of this record were answered before, as of unknown outcome (`RecordSender.Seen`).
    var wasAnswered = false
    /// The node that follows has sent it.
    var isOurs = false
}
