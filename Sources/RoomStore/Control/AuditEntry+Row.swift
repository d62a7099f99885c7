import GRDB
import RoomCore

extension AuditEntry {
    /// The newest of administrators are kept, and the newest of members beside them: neither push the others out of the log.
    static let kept = 100_000
    static let keptOfMembers = 50_000
    /// After how many insertions the oldest are looked for: that walks over all that are kept.
    static let trimInterval: Int64 = 100
    /// The most bytes of details: notes of callers are short; what they were given may not be, and the file stays
    /// small.
    private static let detailBytes = 4_096

    /// Adds the entry to the log, and drops the oldest where there are too many. Returns its id.
    @discardableResult
    func insert(_ db: Database) throws -> Int64 {
        try db.execute(
            sql: "INSERT INTO audit (time, actor, origin, action, target, details) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                self.time, self.actor.withoutNUL, self.origin.withoutNUL, self.action.withoutNUL,
                self.target.withoutNUL, self.boundedDetails.withoutNUL,
            ]
        )
        let id = db.lastInsertedRowID
        if id.isMultiple(of: Self.trimInterval) { try Self.trim(db) }
        return id
    }

    /// Goes by the entries that there are, not by their ids: those of entries that were withdrawn are used up too.
    private static func trim(_ db: Database) throws {
        // actors that begin with `member:`
        let ofMembers = "actor >= 'member:' AND actor < 'member;'"
        for (entries, kept) in [(ofMembers, self.keptOfMembers), ("NOT (\(ofMembers))", self.kept)] {
            try db.execute(
                sql: """
                    DELETE FROM audit WHERE \(entries)
                        AND id <= (SELECT id FROM audit WHERE \(entries) ORDER BY id DESC LIMIT 1 OFFSET ?)
                    """,
                arguments: [kept]
            )
        }
    }

    private var boundedDetails: String {
        let count = self.details.utf8.count
        return count > Self.detailBytes ? #"{"omitted_bytes":\#(count)}"# : self.details
    }
}

extension StoredAuditEntry {
    static func fetch(_ db: Database, before: Int64?, limit: Int, _ filter: AuditFilter) throws -> [StoredAuditEntry] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM audit
                WHERE id < ?1 AND (?2 IS NULL OR actor = ?2) AND (?3 IS NULL OR action = ?3)
                    AND (?4 IS NULL OR target = ?4) AND (?6 IS NULL OR instr(?6, '|' || action || '|') > 0)
                ORDER BY id DESC LIMIT ?5
                """,
            arguments: [
                before ?? .max, filter.actor?.withoutNUL, filter.action?.withoutNUL, filter.target?.withoutNUL,
                max(0, limit), filter.actions.map { "|\($0.joined(separator: "|"))|" },
            ]
        ).map { StoredAuditEntry(row: $0) }
    }

    private init(row: Row) {
        let entry = AuditEntry(
            time: row["time"],
            actor: row["actor"],
            origin: row["origin"],
            action: row["action"],
            target: row["target"],
            details: row["details"]
        )
        self.init(id: row["id"], entry: entry)
    }
}
