import RoomCore
import RoomModel

extension RoomLog {
    /// The `seq` of the served message with this stamp.
    func seq(of id: UniqueID, now: Int64) throws -> UInt64? {
        let seq = try self.firstSeq(from: self.oldest(now: now).seq, stampedFrom: id)
        guard seq <= self.room.lastSeq else { return nil }
        var isFound = false
        try self.forEachBatch(from: seq, through: seq) { row, messages in
            isFound = row.contains(seq) && messages.id(of: seq) == id && messages.isSound(seq)
            return false
        }
        return isFound ? seq : nil
    }
}
