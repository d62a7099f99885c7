import NIOCore
import RoomCore
import RoomDelivery
import RoomModel

/// The rooms of a followed partition, and how far the history has them.
struct FollowedRooms {
    private(set) var partition: Partition
    var projection: Projection

    struct Applied {
        var record: PartitionRecord
        var outcome: AcceptedRecords.Outcome
        /// `nil`: the delegate was told before.
        var delivery: AppliedRecord?
    }

    /// The rooms are as far as this record made them.
    func has(_ place: LogOffset?) -> Bool {
        guard let place else { return true }
        return self.partition.accepted.place.map { place <= $0 } ?? false
    }

    /// - Parameter delivered: the delegate was told of everything through this place.
    mutating func apply(
        _ stored: HeldRecords.Record,
        delivered: LogOffset?,
        now: UInt64
    ) throws(RecordError) -> Applied {
        let record = try PartitionRecord(decoding: stored.bytes)
        let applied = self.partition.apply(record, at: stored.place, time: stored.time)
        let isNew = delivered.map { $0 < stored.place } ?? true
        let isStored = self.projection.stored.map { stored.place <= $0 } ?? false
        var encoded: [EncodedBatch] = []
        if isNew || !isStored {
            encoded = applied.batches.map { batch in
                EncodedBatch(batch.batch, JSONLinesEncoder(room: batch.room.room), batch.view.epoch)
            }
        }
        var committed = encoded.lazy.filter(\.batch.needsCommit).makeIterator()
        let changes = isStored ? [] : applied.changes { _ in committed.next()?.logEntries ?? [] }
        self.projection.add(
            changes,
            of: self.partition,
            recordTime: stored.time,
            recordBytes: stored.bytes.readableBytes,
            now: now
        )
        let delivery = AppliedRecord(
            place: stored.place,
            batches: applied.batches,
            encoded: encoded,
            pruned: applied.pruned,
            imported: applied.imported
        )
        return Applied(record: record, outcome: applied.outcome, delivery: isNew ? delivery : nil)
    }
}
