import GRDB

/// From one opening of the history file to its closing, as the table `meta` records it.
///
/// With `durability: process` a commit is in the page cache, not on the disk: it survives the process, not the machine.
/// So if the file was not closed in order, and the machine has been booted since, the newest messages of a room may be
/// gone, and their `seq` would be given out again: such rooms begin a new epoch (protocol §3). What was synced is safe.
enum HistorySession {
    /// Why rooms begin a new epoch.
    enum NewEpochs: Equatable {
        case none
        /// The machine went down: rooms whose newest message was not synced.
        case unsynced
        /// Committed transactions are missing from the file: all rooms.
        case all
    }

    /// Notes that the file is in use. Returns which rooms began a new epoch.
    static func begin(_ db: Database, bootID: String, wal: WriteAheadLog.State) throws -> NewEpochs {
        // Synced: were the mark lost while later messages are lost too, the file would pass for one closed in order.
        try db.execute(sql: "PRAGMA synchronous = FULL")
        defer { Self.restoreSynchronous(db) }
        var newEpochs = NewEpochs.none
        try db.inTransaction(.immediate) {
            newEpochs = try Self.newEpochs(db, bootID: bootID, wal: wal)
            if newEpochs != .none { try EpochSeed.change(db) }
            switch newEpochs {
            case .none: break
            case .unsynced: try db.execute(sql: "UPDATE room SET epoch = random() WHERE is_synced = 0")
            case .all: try db.execute(sql: "UPDATE room SET epoch = random()")
            }
            try db.execute(
                sql: """
                    INSERT INTO meta (id, file_id, boot_id, is_clean, epoch_seed)
                    VALUES (1, lower(hex(randomblob(16))), ?, 0, random())
                    ON CONFLICT DO UPDATE SET boot_id = excluded.boot_id, is_clean = 0
                    """,
                arguments: [bootID]
            )
            return .commit
        }
        return newEpochs
    }

    /// Changes nothing, but with a page of its own: shows whether there is room on the disk.
    static func tryToWrite(_ db: Database) throws {
        try db.execute(sql: "UPDATE meta SET is_clean = 0")
    }

    /// Notes that everything is stored, synced to the disk.
    static func end(_ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "UPDATE meta SET is_clean = 1")
    }

    private static func newEpochs(_ db: Database, bootID: String, wal: WriteAheadLog.State) throws -> NewEpochs {
        guard let row = try Row.fetchOne(db, sql: "SELECT boot_id, is_clean FROM meta") else { return .none }
        let wasClosed: Bool = row["is_clean"]
        let lastBoot: String = row["boot_id"]
        return switch wal {
        case .damaged: .all
        case _ where wasClosed: .none
        // In use, the file always has a `-wal`: this is a copy made without it.
        case .absent: .all
        case .sound: lastBoot == bootID ? .none : .unsynced
        }
    }

    private static func restoreSynchronous(_ db: Database) {
        // Failing leaves commits safer and slower than they need be.
        try? db.execute(sql: "PRAGMA synchronous = NORMAL")
    }
}
