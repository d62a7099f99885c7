import GRDB
import RoomCore
import RoomModel

extension RoomLog {
    /// Publish keys are remembered for ten minutes and 100,000 messages (`OpenedLog.recentKeys`), also where retention
    /// keeps less: rows with such a key are not served any more, but not deleted either.
    static let keyMilliseconds: Int64 = 10 * 60 * 1_000
    static let keyedMessages: UInt64 = 100_000

    /// A message is not deleted before it is as old: somebody may be about to read it who asked when it was kept still.
    private static let stillReadMilliseconds: Int64 = 2_000
    /// Below this many messages a deletion is not worth its statement.
    private static let worthTrimming: UInt64 = 64
    /// An append deletes as many messages as it adds and this many of the backlog.
    private static let backlogStep = 256

    /// Where a log begins for its readers.
    struct Oldest {
        /// The oldest message that is served; `lastSeq + 1` where none is.
        var seq: UInt64
        /// The one before it went by its age, and not by number or pruning.
        var hasExpired: Bool
    }

    /// - Parameter newest: the number of messages is counted from there, and not from the newest one there is.
    func oldest(keeping retention: HistorySettings, newest: UInt64? = nil, now: Int64) throws -> Oldest {
        try self.oldest(
            keepCount: retention.countLimit,
            keepMilliseconds: retention.ageMilliseconds,
            newest: newest,
            now: now
        )
    }

    /// By what is noted of the room.
    func oldest(now: Int64) throws -> Oldest {
        try self.oldest(keepCount: self.room.keepCount, keepMilliseconds: self.room.keepMilliseconds, now: now)
    }

    /// Readers see nothing before this message from now on.
    mutating func move(to oldest: Oldest) {
        self.room.oldestSeq = oldest.seq
        if oldest.hasExpired { self.room.expiredSeq = oldest.seq - 1 }
    }

    private func oldest(
        keepCount: Int64,
        keepMilliseconds: Int64,
        newest: UInt64? = nil,
        now: Int64
    ) throws -> Oldest {
        let kept = UInt64(keepCount)
        let newest = min(newest ?? self.room.lastSeq, self.room.lastSeq)
        let byCount = newest >= kept ? newest - kept + 1 : 1
        // each message that has come since then has pushed out one at most
        let since = min(self.room.oldestSeq, self.room.lastSeq - newest)
        let before = max(self.room.firstSeq, self.room.oldestSeq - since, self.room.prunedSeq + 1)
        let oldest = max(before, byCount)
        let (cutoff, overflow) = now.subtractingReportingOverflow(keepMilliseconds)
        let byAge = try self.firstSeq(from: oldest, storedAtOrAfter: overflow ? .min : cutoff, now: now)
        let hadExpired = oldest > 1 && oldest - 1 <= self.room.expiredSeq
        return Oldest(seq: byAge, hasExpired: byAge > oldest || hadExpired)
    }

    /// The same as `firstSeq(from:sentAtOrAfter:)`, but where stamps are ahead of the clock the time counts at which a batch was stored:
    /// for so many batches at once, and the others the next time.
    private func firstSeq(from low: UInt64, storedAtOrAfter cutoff: Int64, now: Int64) throws -> UInt64 {
        var seq = try self.firstSeq(from: low, sentAtOrAfter: cutoff)
        guard let lastID = self.room.lastID, lastID.milliseconds > now, seq <= self.room.lastSeq else { return seq }
        let statement = try BoundStatement(
            self.db,
            "SELECT id, stored_at FROM batch WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 256"
        )
        defer { statement.reset() }
        statement.bind(self.rowID(seq), at: 1)
        statement.bind(self.rowID(self.room.lastSeq), at: 2)
        while try statement.step(), !statement.isNull(at: 1), statement.int64(at: 1) < cutoff {
            seq = BatchRowID(rawValue: statement.int64(at: 0)).seq + 1
        }
        return seq
    }

    /// The first message from `low` on that was sent at or after `cutoff`, in Unix milliseconds; `lastSeq + 1` where none
    /// was.
    func firstSeq(from low: UInt64, sentAtOrAfter cutoff: Int64) throws -> UInt64 {
        try self.firstSeq(from: low, stampedFrom: UniqueID(high: UInt64(max(0, cutoff)) << 16, low: 0))
    }

    mutating func trimAfterAppend(of count: Int, now: Int64) throws {
        guard self.room.oldestSeq - self.room.firstSeq >= Self.worthTrimming else { return }
        _ = try self.trim(atMost: count + Self.backlogStep, now: now)
    }

    /// Deletes the batches that end within the next `limit` messages which are not served any more. Returns how many
    /// messages lie behind that now.
    mutating func trim(atMost limit: Int, now: Int64) throws -> Int {
        let first = self.room.firstSeq
        guard let end = try self.trimEnd(atMost: limit, now: now) else { return 0 }
        let statement = try BoundStatement(self.db, "DELETE FROM batch WHERE id >= ? AND id < ?")
        statement.bind(self.rowID(first), at: 1)
        statement.bind(self.rowID(end), at: 2)
        try statement.run()
        self.room.firstSeq = end
        return Int(end - first)
    }

    /// Before which message `trim` stops; `nil` where it has nothing to delete.
    func trimEnd(atMost limit: Int, now: Int64) throws -> UInt64? {
        let first = self.room.firstSeq
        let last = min(self.room.oldestSeq, first + UInt64(limit))
        guard last > first else { return nil }
        guard try !self.mayBeRead(last - 1, now: now) else { return nil }
        let end = min(last, try self.firstRememberedKey(in: first..<last, now: now) ?? last)
        return end > first ? end : nil
    }

    /// Whether the batch with this message is young. Where the clock was set back, none is.
    private func mayBeRead(_ seq: UInt64, now: Int64) throws -> Bool {
        let statement = try BoundStatement(
            self.db,
            "SELECT \(BatchRow.columns) FROM batch WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1"
        )
        defer { statement.reset() }
        statement.bind(self.rowID(seq), at: 1)
        statement.bind(self.rowID(self.room.lastSeq), at: 2)
        guard try statement.step() else { return false }
        return try abs(now - BatchRow(statement).lastID.milliseconds) < Self.stillReadMilliseconds
    }

    /// The first message of the first batch in which there may be a key that is still remembered.
    private func firstRememberedKey(in range: Range<UInt64>, now: Int64) throws -> UInt64? {
        let first = max(range.lowerBound, self.oldestRememberedSeq)
        guard first < range.upperBound else { return nil }
        let statement = try BoundStatement(
            self.db,
            """
            SELECT \(BatchRow.columns) FROM batch
            WHERE id BETWEEN ?1 AND (SELECT id FROM batch WHERE id BETWEEN ?2 AND ?3 ORDER BY id LIMIT 1)
                AND marks & ?4 AND coalesce(stored_at << 16, last_high) BETWEEN ?5 AND ?6
            ORDER BY id LIMIT 1
            """
        )
        defer { statement.reset() }
        statement.bind(self.rowID(first), at: 1)
        statement.bind(self.rowID(range.upperBound - 1), at: 2)
        statement.bind(self.rowID(self.room.lastSeq), at: 3)
        statement.bind(BatchRow.Marks.keys.rawValue, at: 4)
        statement.bind((now - Self.keyMilliseconds) << 16, at: 5)
        // A later stamp is damage, which would keep the row for ever.
        statement.bind(Int64(bitPattern: self.room.lastID?.high ?? 0), at: 6)
        return try statement.step() ? max(range.lowerBound, BatchRow(statement).firstSeq) : nil
    }

    /// Keys of messages below it are forgotten, however young they are.
    var oldestRememberedSeq: UInt64 {
        self.room.lastSeq > Self.keyedMessages ? self.room.lastSeq - Self.keyedMessages + 1 : 1
    }
}
