import GRDB
package import RoomCore
package import RoomModel

/// The logs that a history file has, within one access to it.
package struct StoredLogs {
    let db: Database
    let generation: Int

    /// Tells each log, as a room that opens it is told, and each room that was cleared and has none yet. One that its channel keeps no
    /// history of is cleared instead.
    ///
    /// - Parameters:
    ///   - keysSince: Unix milliseconds: keys of older messages are not told.
    ///   - retention: of a room; `nil`: nothing of it is kept.
    package func forEach(
        keysSince: Int64,
        now: Int64,
        retention: (RoomKey) -> HistorySettings?,
        found: (RoomKey, OpenedLog) throws -> Void
    ) throws {
        for id in try Int64.fetchAll(self.db, sql: "SELECT id FROM room ORDER BY id") {
            guard let key = try RoomRow.key(self.db, id: id), let row = try RoomRow.fetch(self.db, id: id) else {
                continue
            }
            guard let kept = retention(key) else {
                try ClearedLog.clear(self.db, key, now: now)
                continue
            }
            let log = RoomLog(self.db, room: row)
            let opened = try log.opened(
                key,
                generation: self.generation,
                retention: kept,
                keysSince: keysSince,
                now: now
            )
            try found(key, opened)
        }
        for key in try ClearedKeys.rooms(self.db) where retention(key) != nil {
            guard try RoomRow.fetch(self.db, key) == nil else { continue }
            let new = NewLog(room: key, epoch: try EpochSeed.epoch(of: key, self.db))
            var opened = OpenedLog(new: LogID(rawValue: 0, generation: self.generation, new: new))
            opened.recentKeys = try ClearedKeys.of(key, since: keysSince, self.db)
            try found(key, opened)
        }
    }
}
