import GRDB
import NIOCore
import RoomCore
import RoomModel

extension RoomLog {
    func opened(generation: Int, retention: HistorySettings, keysSince: Int64, now: Int64) throws -> OpenedLog {
        OpenedLog(
            log: LogID(self.room, generation: generation),
            epoch: self.room.epoch,
            lastSeq: self.room.lastSeq,
            lastID: self.room.lastID,
            oldestSeq: try self.oldestSeq(keeping: retention, now: now),
            prunedThrough: self.room.prunedSeq,
            recentKeys: try self.recentKeys(since: keysSince),
            redactions: try self.redactions()
        )
    }

    /// The most bytes of messages whose keys are told: all of it is in memory at once.
    private static let keyedBytes = 2 << 20
    /// A batch with a key is read whole: beyond so much, older keys are forgotten.
    private static let bytesRead = 32 << 20

    /// Keys are remembered beyond retention: see `keyMilliseconds`.
    private func recentKeys(since time: Int64) throws -> [OpenedLog.KeyedEntry] {
        let from = max(self.room.firstSeq, self.oldestRememberedSeq)
        let first = try self.firstSeq(from: from, sentAtOrAfter: time)
        var entries: [OpenedLog.KeyedEntry] = []
        var (bytes, bytesRead) = (0, 0)
        try self.forEachBatch(from: first, through: self.room.lastSeq, .descending, marked: .keys) { _, messages in
            for (seq, key) in messages.keys().reversed() {
                guard seq >= first, bytes < Self.keyedBytes else { return false }
                let tail = messages.tail(of: seq)
                bytes += tail.count
                entries.append(.init(seq: seq, key: key, tail: ByteBuffer(bytes: tail)))
            }
            bytesRead += messages.length
            return bytesRead < Self.bytesRead
        }
        return entries.reversed()
    }
}
