import RoomCore
import RoomModel

extension RoomLog {
    /// The `seq` of the served message with this stamp.
    ///
    /// Stamps ascend with `seq`, so it halves the range: some twenty look-ups by primary key in a log of a million.
    func seq(of id: UniqueID, now: Int64) throws -> UInt64? {
        var low = try self.oldestSeq(
            keepCount: self.room.keepCount,
            keepMilliseconds: self.room.keepMilliseconds,
            now: now
        )
        var high = self.room.lastSeq + 1
        let statement = try BoundStatement(
            self.db,
            "SELECT id, stamp_high, stamp_low FROM message WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1"
        )
        defer { statement.reset() }
        while low < high {
            let probe = low + (high - low) / 2
            statement.reset()
            statement.bind(MessageRowID(room: self.room.id, seq: probe).rawValue, at: 1)
            statement.bind(MessageRowID(room: self.room.id, seq: high - 1).rawValue, at: 2)
            guard try statement.step() else {
                high = probe
                continue
            }
            let stamp = UniqueID(
                high: UInt64(bitPattern: statement.int64(at: 1)),
                low: UInt64(bitPattern: statement.int64(at: 2))
            )
            let seq = MessageRowID(rawValue: statement.int64(at: 0)).seq
            if stamp == id { return seq }
            if stamp < id {
                low = seq + 1
            } else {
                high = probe
            }
        }
        return nil
    }
}
