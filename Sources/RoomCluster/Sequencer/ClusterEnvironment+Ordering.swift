import NIOCore
package import RoomCore
package import RoomDelivery
package import RoomModel

/// The rooms of a node are ordered by the logs of their partitions.
extension ClusterEnvironment: RoomOrdering {
    /// With all rooms of its partition.
    package func owner(of room: RoomKey, shards: Int) -> Int { self.partition(of: room) % shards }

    package func sequencer(for owner: RoomOwner, shards: Int) -> any RoomSequencer {
        LogSequencer(owner, self, shards: shards)
    }

    package func reader(of engine: any RoomEngine, over shards: [ShardRef]) -> any LogReader {
        PartitionedReader(shards: shards, cluster: self)
    }

    package func settle(_ room: RoomKey, among shards: [ShardRef]) async {
        let partition = self.partition(of: room)
        let shard = shards[self.owner(of: room, shards: shards.count)]
        guard let place = await shard.answer({ $0.partitionPlaces[partition] }) else { return }
        await self.appliedElsewhere(partition, place)
    }

    // MARK: Imports

    package func importHistory(
        _ part: LogImport,
        through gateway: RoomGateway
    ) async throws(HistoryImportError) -> ImportReceipt {
        guard part.recordSize <= PartitionRecord.utmost else { throw .tooLarge(limit: PartitionRecord.utmost) }
        if part.after != nil, let newest = try await self.newestPage(of: part, through: gateway)?.entries.last,
            let first = part.entries.first, newest.id >= first.id
        {
            throw .movedOn
        }
        switch await self.outcome(of: part, through: gateway) {
        case .occupied: throw .occupied
        case .movedOn: throw .movedOn
        case nil: throw .isUnknown
        case .stored(let place):
            guard let epoch = place.epoch, let page = try await self.newestPage(of: part, through: gateway) else {
                throw .isUnknown
            }
            return ImportReceipt(epoch: epoch, seq: place.seq, oldestSeq: page.oldestSeq)
        }
    }

    private func outcome(of part: LogImport, through gateway: RoomGateway) async -> ImportRecord.Outcome? {
        await withCheckedContinuation { continuation in
            gateway.owner(of: part.room).post { $0.importLog(part) { continuation.resume(returning: $0) } }
        }
    }

    /// The end of the room's log, as this node has stored it; `nil`: there is none.
    private func newestPage(
        of part: LogImport,
        through gateway: RoomGateway
    ) async throws(HistoryImportError) -> LogPage? {
        guard let log = await gateway.owner(of: part.room).answer({ $0.logID(of: part.room) }) else { return nil }
        let query = LogQuery(
            log: log,
            retention: part.retention,
            range: .before(.max),
            maxCount: 1,
            maxBytes: .max,
            now: gateway.environment.clock(),
            asker: .outside
        )
        let result = await withCheckedContinuation { continuation in
            gateway.reader.read(query) { continuation.resume(returning: $0) }
        }
        do {
            return try result.get()
        } catch {
            throw .isUnknown
        }
    }
}
