import GRDB
import RoomCore
import RoomModel

/// Trims rooms, and retires those whose logs are empty and old. It looks for them as a reader, and writes in small steps
/// where there is something to write.
enum Sweep {
    /// The most that are looked at in one go.
    static let roomsInStep = 256
    /// The most that are written in one transaction.
    static let retiredInStep = 64
    private static let rowsInStep = 1_024

    /// The work that is to be done among some rooms.
    struct Findings: Sendable {
        /// The ids of those that have rows to be deleted, or others to be shown as the oldest.
        var trims: [Int64] = []
        /// The rooms whose logs are empty and old.
        var retired: [Candidate] = []
        /// Where to go on; `nil` after the last room.
        var next: Int64?

        var isEmpty: Bool { self.trims.isEmpty && self.retired.isEmpty }
    }

    struct Candidate: Sendable {
        var room: RoomKey
        var id: Int64
        var lastSeq: UInt64
    }

    /// Looks at the next rooms with ids above this one.
    static func find(_ db: Database, above id: Int64, now: Int64) throws -> Findings {
        let rooms = try RoomRow.fetch(db, above: id, limit: self.roomsInStep)
        var findings = Findings(next: rooms.count < self.roomsInStep ? nil : rooms.last?.id)
        for room in rooms {
            if room.firstSeq <= room.lastSeq {
                if try self.trimmed(RoomLog(db, room: room), now: now) { findings.trims.append(room.id) }
            } else if room.isOld(at: now), let key = try RoomRow.key(db, id: room.id) {
                findings.retired.append(Candidate(room: key, id: room.id, lastSeq: room.lastSeq))
            }
        }
        return findings
    }

    private static func trimmed(_ log: RoomLog, now: Int64) throws -> Bool {
        var log = log
        let before = log.room
        try log.move(to: log.oldest(now: now))
        return try log.room != before || log.trimEnd(atMost: 1, now: now) != nil
    }

    /// Trims some of the rooms. Returns those that are left.
    static func trim(_ db: Database, _ rooms: [Int64], now: Int64) throws -> [Int64] {
        var rowsLeft = self.rowsInStep
        for (index, id) in rooms.enumerated() {
            guard let before = try RoomRow.fetch(db, id: id) else { continue }
            var log = RoomLog(db, room: before)
            try log.move(to: log.oldest(now: now))
            rowsLeft -= try log.trim(atMost: rowsLeft, now: now)
            if log.room != before { try log.room.update(db) }
            if rowsLeft <= 0 { return Array(rooms[index...]) }
        }
        return []
    }

    /// Deletes the rows of rooms whose logs are still empty: their ids are free, and their next logs have other epochs.
    static func retire(_ db: Database, _ rooms: [Candidate]) throws {
        if rooms.isEmpty { return }
        for room in rooms {
            try db.cachedStatement(sql: "DELETE FROM room WHERE id = ? AND last_seq = ? AND first_seq > last_seq")
                .execute(arguments: [room.id, Int64(room.lastSeq)])
            guard db.changesCount > 0 else { continue }
            try db.cachedStatement(sql: "INSERT INTO free_log (id) VALUES (?)").execute(arguments: [room.id])
        }
        try EpochSeed.change(db)
    }
}

extension RoomRow {
    /// Whether nothing has happened in it for as long as its messages and their publish keys live, and ten minutes more.
    fileprivate func isOld(at now: Int64) -> Bool {
        guard let lastID else { return true }
        let lifetime = max(self.keepMilliseconds, RoomLog.keyMilliseconds)
        return lastID.milliseconds < now - lifetime - RoomLog.keyMilliseconds
    }
}
