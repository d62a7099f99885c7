import GRDB
import NIOCore
import RoomCore
import RoomModel

extension RoomLog {
    /// - Parameter key: the room's.
    func opened(
        _ key: RoomKey,
        generation: Int,
        retention: HistorySettings,
        keysSince: Int64,
        now: Int64
    ) throws -> OpenedLog {
        let oldest = try self.oldest(keeping: retention, now: now)
        return OpenedLog(
            log: LogID(self.room, generation: generation),
            epoch: self.room.epoch,
            lastSeq: self.room.lastSeq,
            lastID: self.room.lastID,
            oldestSeq: oldest.seq,
            hasExpired: oldest.hasExpired,
            prunedThrough: self.room.prunedSeq,
            recentKeys: try ClearedKeys.of(key, since: keysSince, self.db) + self.recentKeys(since: keysSince).entries,
            redactions: try self.redactions()
        )
    }

    /// The most bytes of messages whose keys are told: all of it is in memory at once.
    static let keyedBytes = 2 << 20
    /// A batch with a key is read whole: beyond so much, older keys are forgotten.
    private static let bytesRead = 32 << 20

    struct RecentKeys {
        /// In ascending order.
        var entries: [OpenedLog.KeyedEntry] = []
        var bytes = 0
        var bytesRead = 0
    }

    /// Keys are remembered beyond retention: see `keyMilliseconds`.
    func recentKeys(since time: Int64) throws -> RecentKeys {
        let from = max(self.room.firstSeq, self.oldestRememberedSeq)
        let first = try self.firstSeq(from: from, sentAtOrAfter: time)
        var recent = RecentKeys()
        try self.forEachBatch(from: first, through: self.room.lastSeq, .descending, marked: .keys) { _, messages in
            for (seq, key) in messages.keys().reversed() {
                guard seq >= first, recent.bytes < Self.keyedBytes else { return false }
                let tail = messages.tail(of: seq)
                recent.bytes += tail.count
                recent.entries.append(.init(seq: seq, key: key, tail: ByteBuffer(bytes: tail)))
            }
            recent.bytesRead += messages.length
            return recent.bytesRead < Self.bytesRead
        }
        recent.entries.reverse()
        return recent
    }
}
