import GRDB

/// How much the history file holds.
package struct HistoryStatistics: Equatable, Sendable {
    /// With its `-wal`; in memory the database's pages.
    package var fileBytes: Int64
    /// Those that are served, as of each room's last append or sweep.
    package var messages: Int64
    /// Those that have a log.
    package var rooms: Int64
}

extension HistoryStatistics {
    /// `fileBytes` is `nil` in memory.
    init(_ db: Database, fileBytes: Int64?) throws {
        let sql = "SELECT count(*), coalesce(sum(last_seq - oldest_seq + 1), 0) FROM room"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: sql)) else { throw DatabaseError() }
        let pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        self.init(
            fileBytes: try fileBytes ?? Int64.fetchOne(db, sql: pages) ?? 0,
            messages: row[1],
            rooms: row[0]
        )
    }
}
