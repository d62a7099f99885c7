import GRDB
import NIOConcurrencyHelpers
import RoomCore

extension HistoryStore {
    /// The most rooms that one sweep looks at without finding work: it goes on with the others a minute later.
    private static let mostInVain = 20_000

    /// Deletes the rows of cleared logs, trims rooms that get no more appends, and retires those whose logs are empty and
    /// old; to be called each minute. Other work goes on between its many small steps.
    package func sweep(now: Int64) async {
        if !self.isWritable { _ = await self.sweepStep { try HistorySession.tryToWrite($0) } }
        _ = await self.sweepStep { try ClearedKeys.forget(at: now, $0) }
        while await self.sweepStep({ try ClearedLog.sweep($0) ? true : nil }) != nil {}
        var (position, inVain) = (self.sweepPosition.withLockedValue(\.self), 0)
        repeat {
            let above = position
            guard let findings = await self.look({ try Sweep.find($0, above: above, now: now) }) else { break }
            await self.trim(findings.trims, now: now)
            await self.retire(findings.retired)
            position = findings.next ?? 0
            if findings.isEmpty { inVain += Sweep.roomsInStep }
        } while position > 0 && inVain < Self.mostInVain
        self.sweepPosition.withLockedValue { $0 = position }
        if let counts = await self.look({ try StoredRooms.counts($0) }) { self.rooms.counted(counts) }
    }

    /// Whether there can soon be no more rooms, or can be none.
    package var isNearlyFullOfRooms: Bool { self.rooms.isNearlyFull }

    private func trim(_ rooms: [Int64], now: Int64) async {
        var rest = rooms
        while !rest.isEmpty {
            let step = rest
            rest = await self.sweepStep { try Sweep.trim($0, step, now: now) } ?? []
        }
    }

    private func retire(_ candidates: [Sweep.Candidate]) async {
        for start in stride(from: 0, to: candidates.count, by: Sweep.retiredInStep) {
            let step = candidates[start..<min(candidates.count, start + Sweep.retiredInStep)]
            // Asked on the writer's queue: whoever opens one of them from then on looks for it there, behind this.
            _ = await self.sweepStep { db in
                let free = self.inUse.beginRetiring(step.map(\.room))
                try Sweep.retire(db, step.filter { free.contains($0.room) })
            }
            self.inUse.retired(step.map(\.room))
        }
    }

    /// `nil` after a failure or a cancellation, or where the step says so: the next minute's sweep begins anew.
    private func sweepStep<Value: Sendable>(
        _ step: @escaping @Sendable (Database) throws -> Value?
    ) async -> Value? {
        await self.supervisor.current.file?.checkpointer?.whenCopied()
        guard !Task.isCancelled else { return nil }
        return await withCheckedContinuation { continuation in
            self.write(step) { continuation.resume(returning: (try? $0.get()) ?? nil) }
        }
    }

    private func look<Value: Sendable>(_ look: @escaping @Sendable (Database) throws -> Value) async -> Value? {
        guard !Task.isCancelled else { return nil }
        return await withCheckedContinuation { continuation in
            self.read(generation: nil, for: nil, { continuation.resume(returning: try? $0.get()) }) { db, _ in
                try look(db)
            }
        }
    }
}
