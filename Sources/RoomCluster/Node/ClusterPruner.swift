import RoomCore
import RoomDelivery
import RoomModel

/// Prunes rooms on all nodes of a cluster: this one's history says which messages that are, the log of the partition tells all nodes.
struct ClusterPruner: HistoryPruner {
    let pruner: any HistoryPruner
    let history: FollowedHistory

    func prune(
        _ room: RoomKey,
        keeping bound: PruneBound,
        atMost limit: UInt64
    ) async throws(EngineError) -> PruneReceipt {
        var receipt = try await self.prunable(room, keeping: bound)
        guard let newest = receipt.place, receipt.messages > 0 else { return PruneReceipt() }
        if receipt.messages > limit {
            receipt.place = Position(epoch: newest.epoch, seq: newest.seq - (receipt.messages - limit))
            receipt.bytes = receipt.bytes / receipt.messages * limit
            receipt.messages = limit
            (receipt.isEstimate, receipt.hasMore) = (true, true)
        }
        guard let place = receipt.place, await self.prune(room, through: place), await self.hasRoom(room) else {
            throw .unavailable
        }
        return receipt
    }

    func prunable(_ room: RoomKey, keeping bound: PruneBound) async throws(EngineError) -> PruneReceipt {
        guard await self.hasRoom(room) else { throw .unavailable }
        return try await self.pruner.prunable(room, keeping: bound)
    }

    private func hasRoom(_ room: RoomKey) async -> Bool { await self.history.has(self.history.partition(of: room)) }

    private func prune(_ room: RoomKey, through place: Position) async -> Bool {
        let shard = self.history.shard(of: self.history.partition(of: room))
        return await withCheckedContinuation { continuation in
            shard.post { $0.prune(room, through: place) { continuation.resume(returning: $0) } }
        }
    }
}
