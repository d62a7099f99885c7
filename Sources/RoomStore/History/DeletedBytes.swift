import GRDB

/// What becomes of the bytes of deleted rows.
extension Database {
    /// They stay in the pages that are free from then on, until these are used again. Debian's SQLite would overwrite each of these pages
    /// otherwise: as much as a prune frees would go to the `-wal`.
    func keepDeletedBytes() throws { try self.execute(sql: "PRAGMA secure_delete = FAST") }

    /// They are overwritten where `work` deletes rows.
    func overwritingDeletedBytes(_ work: () throws -> Void) throws {
        try self.execute(sql: "PRAGMA secure_delete = ON")
        defer {
            // Failing leaves later deletions slower than they need be.
            try? self.keepDeletedBytes()
        }
        try work()
    }
}
