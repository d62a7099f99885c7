import GRDB
package import RoomCore
package import RoomModel

extension HistoryStore: HistoryPruner {
    /// As many messages as the sweep deletes in one transaction.
    private static let prunedInStep: UInt64 = 1_024

    package func prune(
        _ room: RoomKey,
        keeping bound: PruneBound,
        atMost limit: UInt64
    ) async throws(EngineError) -> PruneReceipt {
        var all = PruneReceipt()
        do throws(EngineError) {
            try await self.prune(room, bound, atMost: limit, &all)
            if all.messages > 0 { try await self.sync(room) }
        } catch {
            guard all.messages > 0 else { throw error }
            all.failure = error
        }
        return all
    }

    /// Adds each step to the receipt when it is committed.
    private func prune(
        _ room: RoomKey,
        _ bound: PruneBound,
        atMost limit: UInt64,
        _ all: inout PruneReceipt
    ) async throws(EngineError) {
        repeat {
            // the copy of a checkpoint ends sooner without it
            await self.supervisor.current.file?.checkpointer?.whenCopied()
            let atMost = min(limit - all.messages, Self.prunedInStep)
            let step = try await self.change(.process) { db in
                guard let row = try RoomRow.fetch(db, room) else { return PruneReceipt() }
                var log = RoomLog(db, room: row)
                return try log.prune(bound, atMost: atMost, now: self.now())
            }
            all.messages += step.messages
            all.bytes += step.bytes
            all.hasMore = step.hasMore
            all.place = step.place ?? all.place
        } while all.hasMore && all.messages < limit
    }

    package func prunable(_ room: RoomKey, keeping bound: PruneBound) async throws(EngineError) -> PruneReceipt {
        try await withCheckedContinuation { continuation in
            self.read(generation: nil, for: nil, { continuation.resume(returning: $0) }) { db, _ in
                guard let row = try RoomRow.fetch(db, room) else { return PruneReceipt() }
                return try RoomLog(db, room: row).prunable(bound, now: self.now())
            }
        }.get()
    }

    /// A transaction that is synced takes those before it with it, if it writes anything.
    private func sync(_ room: RoomKey) async throws(EngineError) {
        try await self.change(.power) { db in
            guard let row = try RoomRow.fetch(db, room) else { return }
            try row.update(db)
        }
    }

    private func change<Value: Sendable>(
        _ durability: Durability,
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(EngineError) -> Value {
        try await withCheckedContinuation { continuation in
            self.write(durability: durability, work) { continuation.resume(returning: $0) }
        }.get()
    }
}
