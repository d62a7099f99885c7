package import RoomCore
import RoomModel

extension Partition.Applied {
    /// The changes of the record to what is stored; those of one room are in their order.
    ///
    /// - Parameter entries: gives those entries of a batch that have a place in the log, encoded. It is asked once for each batch
    ///   that needs a commit, in their order.
    package func changes(_ entries: (Partition.Batch) -> [LogEntry]) -> [RoomChange] {
        var changes = self.batches.filter(\.batch.needsCommit).map { batch in
            RoomChange(
                of: batch.room,
                batch.view.epoch,
                batch.view.history,
                entries: entries(batch),
                tombstones: batch.batch.tombstones
            )
        }
        changes += self.logs.map { RoomChange($0) }
        if let pruned { changes.append(RoomChange(pruned.log, prunedThrough: pruned.seq)) }
        if let importedLog {
            let (log, entries, before) = (importedLog.log, importedLog.entries, importedLog.epochBefore)
            changes.append(RoomChange(log, entries: entries, epochBefore: before))
        }
        return changes
    }
}

extension RoomChange {
    fileprivate init(
        _ log: Partition.StoredLog,
        entries: [LogEntry] = [],
        prunedThrough: UInt64 = 0,
        epochBefore: Epoch? = nil
    ) {
        self.init(
            of: log.room,
            log.epoch,
            log.history,
            entries: entries,
            prunedThrough: prunedThrough,
            epochBefore: epochBefore
        )
    }
}
