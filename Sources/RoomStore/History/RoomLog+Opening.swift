import GRDB
import NIOCore
import RoomCore
import RoomModel

extension RoomLog {
    func opened(generation: Int, retention: HistorySettings, now: Int64) throws -> OpenedLog {
        OpenedLog(
            log: LogID(self.room, generation: generation),
            epoch: self.room.epoch,
            lastSeq: self.room.lastSeq,
            lastID: self.room.lastID,
            oldestSeq: try self.oldestSeq(keeping: retention, now: now),
            recentKeys: try self.recentKeys(now: now),
            redactions: try self.redactions()
        )
    }

    /// Of the messages whose keys are told at most: all of it is in memory at once.
    private static let keyedBytes = 2 << 20

    /// Keys are remembered beyond retention: see `keyMilliseconds`.
    private func recentKeys(now: Int64) throws -> [OpenedLog.KeyedEntry] {
        let from = max(self.room.firstSeq, self.oldestRememberedSeq)
        let first = try self.firstSeq(from: from, sentAtOrAfter: now - Self.keyMilliseconds)
        let statement = try BoundStatement(
            self.db,
            "SELECT id, key, tail FROM message WHERE id BETWEEN ? AND ? AND key IS NOT NULL ORDER BY id DESC"
        )
        defer { statement.reset() }
        statement.bind(MessageRowID(room: self.room.id, seq: first).rawValue, at: 1)
        statement.bind(MessageRowID(room: self.room.id, seq: self.room.lastSeq).rawValue, at: 2)
        var entries: [OpenedLog.KeyedEntry] = []
        var bytes = 0
        while bytes < Self.keyedBytes, try statement.step() {
            bytes += statement.bytes(at: 2).count
            guard let key = PublishKey(storedBytes: statement.bytes(at: 1)) else { continue }
            let seq = MessageRowID(rawValue: statement.int64(at: 0)).seq
            entries.append(.init(seq: seq, key: key, tail: ByteBuffer(bytes: statement.bytes(at: 2))))
        }
        return entries.reversed()
    }
}
