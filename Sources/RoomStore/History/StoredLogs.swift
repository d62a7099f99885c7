import GRDB
package import RoomCore
package import RoomModel

/// The logs that a history file has, within one access to it.
package struct StoredLogs {
    private let db: Database
    private let generation: Int

    init(_ db: Database, generation: Int) {
        self.db = db
        self.generation = generation
    }

    /// Tells each log, as a room that opens it is told. One that its channel keeps no history of is cleared instead.
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
                try ClearedLog.clear(self.db, key)
                continue
            }
            let log = RoomLog(self.db, room: row)
            try found(key, log.opened(generation: self.generation, retention: kept, keysSince: keysSince, now: now))
        }
    }
}
