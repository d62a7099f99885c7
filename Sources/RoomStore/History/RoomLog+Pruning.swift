import GRDB
import RoomCore
import RoomModel

/// Taking the oldest messages out of a log at the word of an operator. It goes by the same two limits as retention: readers
/// see nothing below `room.oldestSeq` from the commit on, and what lies behind it is deleted as retention deletes it. So a
/// publish key that is still remembered keeps its row for its ten minutes.
extension RoomLog {
    /// - Parameter limit: how many messages go at most.
    mutating func prune(_ bound: PruneBound, atMost limit: UInt64, now: Int64) throws -> PruneReceipt {
        let first = try self.oldest(now: now).seq
        let end = try self.pruneEnd(bound, from: first, now: now)
        let step = min(end, first + limit)
        var receipt = PruneReceipt()
        guard step > first else { return receipt }
        receipt.messages = step - first
        receipt.bytes = try self.bytes(from: first, before: step)
        receipt.hasMore = step < end
        receipt.place = Position(epoch: self.room.epoch, seq: step - 1)
        self.room.oldestSeq = step
        self.room.prunedSeq = step - 1
        // what waits from before goes on, too
        _ = try self.trim(atMost: Int(clamping: limit + limit / 4), now: now)
        try self.room.update(self.db)
        return receipt
    }

    /// The log that several nodes follow says so. Rows that one transaction does not delete are left to the sweep.
    mutating func prune(through seq: UInt64, now: Int64) throws {
        let seq = min(seq, self.room.lastSeq)
        guard seq > self.room.prunedSeq else { return }
        self.room.prunedSeq = seq
        self.room.oldestSeq = max(self.room.oldestSeq, seq + 1)
        _ = try self.trim(atMost: Self.prunedInStep, now: now)
        try self.room.update(self.db)
    }

    private static let prunedInStep = 1_024

    /// The messages and bytes that `prune` would take out without a limit.
    func prunable(_ bound: PruneBound, now: Int64) throws -> PruneReceipt {
        let first = try self.oldest(now: now).seq
        let end = try self.pruneEnd(bound, from: first, now: now)
        var receipt = PruneReceipt()
        guard end > first else { return receipt }
        let sample = try RoomSample(self.db, room: self.room.id, seqs: first...end - 1)
        receipt.messages = end - first
        receipt.bytes = sample.isComplete ? sample.bytes : sample.bytes(of: receipt.messages)
        receipt.isEstimate = !sample.isComplete
        receipt.place = Position(epoch: self.room.epoch, seq: end - 1)
        return receipt
    }

    /// The first message that is kept; `lastSeq + 1` where none is.
    private func pruneEnd(_ bound: PruneBound, from first: UInt64, now: Int64) throws -> UInt64 {
        let byCount = bound.count.map { self.room.lastSeq + 1 - min($0, self.room.lastSeq) } ?? first
        let end = max(first, byCount)
        guard let age = bound.ageMilliseconds else { return end }
        let (cutoff, overflow) = now.subtractingReportingOverflow(age)
        return try self.firstSeq(from: end, sentAtOrAfter: overflow ? .min : cutoff)
    }

    /// The bytes of the batches whose newest message is in this range. SQLite knows the length of a blob without
    /// reading it.
    private func bytes(from first: UInt64, before end: UInt64) throws -> UInt64 {
        let statement = try BoundStatement(
            self.db,
            "SELECT coalesce(sum(length(messages)), 0) FROM batch WHERE id >= ? AND id < ?"
        )
        defer { statement.reset() }
        statement.bind(self.rowID(first), at: 1)
        statement.bind(self.rowID(end), at: 2)
        return try statement.step() ? UInt64(max(0, statement.int64(at: 0))) : 0
    }
}
