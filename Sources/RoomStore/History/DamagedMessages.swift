import GRDB
import RoomCore
package import RoomModel

/// Messages of one room, one after the other, that are not what was stored, or not there at all.
package struct DamagedMessages: Hashable, Sendable {
    /// `nil` where it cannot be read.
    package let room: RoomKey?
    package let seqs: ClosedRange<UInt64>

    /// So many of one file are told.
    private static let most = 1_000
    private static let roomsInStep = 256

    /// Reads all messages of the file.
    ///
    /// - Returns: the damaged ones by room and `seq`. A file by an earlier version has none: its next start migrates
    ///   it.
    static func find(_ db: Database) throws -> [DamagedMessages] {
        guard try db.tableExists("batch"), try db.columns(in: "batch").contains(where: { $0.name == "checksum" }) else {
            return []
        }
        var found: [DamagedMessages] = []
        var last: Int64 = 0
        while found.count < self.most, case let rooms = try RoomRow.fetch(db, above: last, limit: self.roomsInStep),
            let end = rooms.last
        {
            for room in rooms { try self.find(db, room, &found) }
            last = end.id
        }
        return Array(found.prefix(self.most))
    }

    private static func find(_ db: Database, _ room: RoomRow, _ found: inout [DamagedMessages]) throws {
        let first = max(room.oldestSeq, room.firstSeq)
        guard first <= room.lastSeq else { return }
        var lost: [ClosedRange<UInt64>] = []
        var next = first
        try RoomLog(db, room: room).forEachBatch(from: first, through: room.lastSeq) { row, messages in
            for seq in max(first, row.firstSeq)...row.lastSeq where messages.isSound(seq) {
                if next < seq { lost.append(next...(seq - 1)) }
                next = seq + 1
            }
            return lost.count < self.most
        }
        if next <= room.lastSeq, lost.count < self.most { lost.append(next...room.lastSeq) }
        guard !lost.isEmpty else { return }
        let key = try RoomRow.key(db, id: room.id)
        found += lost.map { DamagedMessages(room: key, seqs: $0) }
    }
}
