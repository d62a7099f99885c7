import GRDB

/// Trims rooms step by step, each step in one transaction.
enum Sweep {
    private static let roomsInStep = 64
    private static let rowsInStep = 1_024

    /// Looks at the next rooms with ids above this one. Returns where to go on; `nil` after the last room.
    static func step(_ db: Database, above id: Int64, now: Int64) throws -> Int64? {
        let rooms = try RoomRow.fetch(db, above: id, limit: Self.roomsInStep)
        var rowsLeft = Self.rowsInStep
        for room in rooms {
            var log = RoomLog(db, room: room)
            log.room.oldestSeq = try log.oldestSeq(
                keepCount: room.keepCount,
                keepMilliseconds: room.keepMilliseconds,
                now: now
            )
            rowsLeft -= try log.trim(atMost: rowsLeft, now: now)
            if log.room != room { try log.room.update(db) }
            if rowsLeft == 0 { return room.id - 1 }
        }
        return rooms.count < Self.roomsInStep ? nil : rooms.last?.id
    }
}
