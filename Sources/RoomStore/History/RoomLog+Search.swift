import RoomCore
import RoomModel

extension RoomLog {
    /// The `seq` of the served message with this stamp.
    func seq(of id: UniqueID, now: Int64) throws -> UInt64? {
        let oldest = try self.oldestSeq(
            keepCount: self.room.keepCount,
            keepMilliseconds: self.room.keepMilliseconds,
            now: now
        )
        let seq = try self.firstSeq(from: oldest, stampedFrom: id)
        guard seq <= self.room.lastSeq else { return nil }
        var isFound = false
        try self.forEachBatch(from: seq, through: seq) { row, messages in
            isFound = row.contains(seq) && messages.id(of: seq) == id && messages.isSound(seq)
            return false
        }
        return isFound ? seq : nil
    }
}
