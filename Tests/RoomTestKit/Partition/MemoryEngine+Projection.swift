import NIOConcurrencyHelpers
package import RoomCore
import RoomModel

/// The engine as the history of a node that follows partitions.
extension MemoryEngine: ProjectedHistory {
    package func openPartition(
        _ partition: Int,
        of log: String,
        completion: @escaping @Sendable (Result<ProjectedPartition, ProjectionError>) -> Void
    ) {
        let empty = ProjectedPartition(partition: partition, generation: 1, newest: nil, snapshot: nil)
        completion(.success(self.state.withLockedValue { $0.partitions[partition] ?? empty }))
    }

    package func store(
        _ write: ProjectionWrite,
        completion: @escaping @Sendable (Result<Void, EngineError>) -> Void
    ) {
        self.perform(.store, completion) { state, _ in
            for change in write.changes { state.store(change, write) }
            let snapshot = write.snapshot ?? state.partitions[write.partition]?.snapshot
            state.partitions[write.partition] = ProjectedPartition(
                partition: write.partition,
                generation: write.generation,
                newest: KnownRecord(place: write.through, time: write.recordTime),
                snapshot: snapshot
            )
            return .success(())
        }
    }
}

extension MemoryEngine.State {
    fileprivate mutating func store(_ change: RoomChange, _ write: ProjectionWrite) {
        var earlier = self.logs[change.room]
        if let log = earlier, log.epoch != change.epoch || change.history == nil {
            self.rooms[log.id] = nil
            self.logs[change.room] = nil
            if log.epoch != change.epochBefore { earlier = nil }
        }
        guard let history = change.history else { return }
        let name = NewLog(room: change.room, epoch: change.epoch)
        let id = LogID(rawValue: 0, generation: write.generation, new: name)
        let batch = LogBatch(
            log: id,
            retention: history,
            durability: .process,
            entries: change.entries,
            tombstones: change.tombstones
        )
        var log =
            self.logs[change.room] ?? MemoryLog(id: id, epoch: change.epoch, after: earlier, change.entries)
        _ = log.append(batch)
        log.trim(through: change.prunedThrough)
        self.logs[change.room] = log
        self.rooms[id] = change.room
    }
}
