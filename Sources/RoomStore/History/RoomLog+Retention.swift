import GRDB
import RoomCore
import RoomModel

extension RoomLog {
    /// Publish keys are remembered for ten minutes and 100,000 messages (`OpenedLog.recentKeys`), also where retention
    /// keeps less: rows with such a key are not served any more, but not deleted either.
    static let keyMilliseconds: Int64 = 10 * 60 * 1_000
    static let keyedMessages: UInt64 = 100_000

    /// Below this many rows a deletion is not worth its statement.
    private static let worthTrimming: UInt64 = 64
    /// An append deletes as many rows as it adds and this many of the backlog.
    private static let backlogStep = 256

    /// The oldest message that is served at `now`; `lastSeq + 1` where none is.
    func oldestSeq(keeping retention: HistorySettings, now: Int64) throws -> UInt64 {
        try self.oldestSeq(keepCount: retention.countLimit, keepMilliseconds: retention.ageMilliseconds, now: now)
    }

    func oldestSeq(keepCount: Int64, keepMilliseconds: Int64, now: Int64) throws -> UInt64 {
        let kept = UInt64(keepCount)
        let byCount = self.room.lastSeq >= kept ? self.room.lastSeq - kept + 1 : 1
        let (cutoff, overflow) = now.subtractingReportingOverflow(keepMilliseconds)
        return try self.firstSeq(from: max(self.room.oldestSeq, byCount), sentAtOrAfter: overflow ? .min : cutoff)
    }

    /// The first message from `low` on that was sent at or after `cutoff`; `lastSeq + 1` where none was.
    ///
    /// Stamps ascend with `seq`, so it halves the range: some twenty look-ups by primary key in a log of a million.
    func firstSeq(from low: UInt64, sentAtOrAfter cutoff: Int64) throws -> UInt64 {
        var low = low
        var high = self.room.lastSeq + 1
        guard low < high, let lastID = self.room.lastID, lastID.milliseconds >= cutoff else { return high }
        let statement = try BoundStatement(
            self.db,
            "SELECT id, stamp_high FROM message WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1"
        )
        defer { statement.reset() }
        // Mostly the very first one is young enough.
        var probe = low
        while low < high {
            statement.reset()
            statement.bind(MessageRowID(room: self.room.id, seq: probe).rawValue, at: 1)
            statement.bind(MessageRowID(room: self.room.id, seq: self.room.lastSeq).rawValue, at: 2)
            if try statement.step(), statement.int64(at: 1) >> 16 < cutoff {
                low = MessageRowID(rawValue: statement.int64(at: 0)).seq + 1
            } else {
                high = probe
            }
            probe = low + (high - low) / 2
        }
        return high
    }

    mutating func trimAfterAppend(of count: Int, now: Int64) throws {
        guard self.room.oldestSeq - self.room.firstSeq >= Self.worthTrimming else { return }
        _ = try self.trim(atMost: count + Self.backlogStep, now: now)
    }

    /// Deletes up to `limit` of the rows that are not served any more. Returns how many.
    mutating func trim(atMost limit: Int, now: Int64) throws -> Int {
        let first = self.room.firstSeq
        guard let end = try self.trimEnd(atMost: limit, now: now) else { return 0 }
        let statement = try BoundStatement(self.db, "DELETE FROM message WHERE id >= ? AND id < ?")
        statement.bind(MessageRowID(room: self.room.id, seq: first).rawValue, at: 1)
        statement.bind(MessageRowID(room: self.room.id, seq: end).rawValue, at: 2)
        try statement.run()
        self.room.firstSeq = end
        return Int(end - first)
    }

    /// Before which message `trim` stops; `nil` where it has nothing to delete.
    func trimEnd(atMost limit: Int, now: Int64) throws -> UInt64? {
        let first = self.room.firstSeq
        let last = min(self.room.oldestSeq, first + UInt64(limit))
        guard last > first else { return nil }
        let end = try self.firstRememberedKey(in: first..<last, now: now) ?? last
        return end > first ? end : nil
    }

    private func firstRememberedKey(in range: Range<UInt64>, now: Int64) throws -> UInt64? {
        let statement = try BoundStatement(
            self.db,
            """
            SELECT id FROM message WHERE id >= ? AND id < ? AND key IS NOT NULL AND stamp_high >= ? ORDER BY id LIMIT 1
            """
        )
        defer { statement.reset() }
        let first = max(range.lowerBound, self.oldestRememberedSeq)
        statement.bind(MessageRowID(room: self.room.id, seq: first).rawValue, at: 1)
        statement.bind(MessageRowID(room: self.room.id, seq: range.upperBound).rawValue, at: 2)
        statement.bind((now - Self.keyMilliseconds) << 16, at: 3)
        return try statement.step() ? MessageRowID(rawValue: statement.int64(at: 0)).seq : nil
    }

    /// Keys of messages below it are forgotten, however young they are.
    var oldestRememberedSeq: UInt64 {
        self.room.lastSeq > Self.keyedMessages ? self.room.lastSeq - Self.keyedMessages + 1 : 1
    }
}
