import Foundation
import GRDB

/// From one opening of the history file to its closing, as the table `meta` and the `CommitRecord` tell it.
///
/// With `durability: process` a commit is in the page cache, not on the disk: it survives the process, not the machine.
/// So if the file was not closed in order, and the machine has been booted since, the newest messages of a room may be
/// gone, and their `seq` would be given out again: such rooms begin a new epoch (protocol §3). Synced commits are safe.
struct HistorySession {
    /// The result of the beginning of a session.
    struct Beginning: Equatable {
        let lost: LostCommits
        let newEpochs: NewEpochs
        let record: CommitRecordFile.Content
    }

    /// Which rooms begin a new epoch.
    enum NewEpochs: Equatable {
        case none
        /// Those whose newest message was not synced.
        case unsynced
        case all
    }

    /// The commits of the session before that are lost.
    let lost: LostCommits
    /// The record of the session before: another file's says nothing, and counts as none.
    private let before: CommitRecordFile.Content
    /// The database was closed in order, or is new: the file itself does not say yet that it is in use.
    let isAtRest: Bool
    /// `meta.file_id`; a new file gets this one.
    private let fileID: String
    /// Before the first commit, the record has to say that the history is in use. One that shows that commits are missing
    /// stays until new epochs are committed.
    let replacesRecord: Bool

    /// Looks at how the session before ended; changes nothing.
    ///
    /// - Parameters:
    ///   - path: of the file; `nil` in memory.
    ///   - wal: as it was before SQLite opened it.
    init(ended db: Database, _ path: String?, _ wal: WriteAheadLog.State) throws {
        let before = path.map { CommitRecordFile.read(beside: $0) } ?? .absent
        guard try path != nil && db.tableExists("meta"),
            let row = try Row.fetchOne(db, sql: "SELECT file_id, is_clean FROM meta")
        else {
            // A database whose first pages are only in the `-wal` is empty without it.
            self.lost = before.showsCommits ? .any : .none
            self.before = before
            self.fileID = Self.randomID()
            self.replacesRecord = self.lost == .none
            self.isAtRest = true
            return
        }
        self.fileID = row["file_id"]
        let file = CommitRecord(file: self.fileID).file
        let ofThisFile = before.record.map { $0.file != file } == true ? .absent : before
        self.lost = LostCommits(
            of: wal,
            ofThisFile,
            wasClosed: row["is_clean"],
            hadRecord: try db.tableExists("batch") && db.columns(in: "batch").contains { $0.name == "checksum" }
        )
        self.before = ofThisFile
        self.replacesRecord = self.lost == .none && (ofThisFile.record?.isClosed ?? true)
        self.isAtRest = row["is_clean"]
    }

    /// The record of this session, before its first commit.
    var record: CommitRecord { CommitRecord(file: self.fileID) }

    /// Notes that the file is in use.
    func begin(_ db: Database, bootID: String) throws -> Beginning {
        // Synced: were the mark lost while later messages are lost too, the file would pass for one closed in order.
        try db.execute(sql: "PRAGMA synchronous = FULL")
        defer { Self.restoreSynchronous(db) }
        var newEpochs = NewEpochs.none
        try db.inTransaction(.immediate) {
            newEpochs = try self.newEpochs(db, bootID: bootID)
            if newEpochs != .none { try EpochSeed.change(db) }
            // The commit syncs what the session before has left, and the record says so.
            try Self.dirty(db)
            switch newEpochs {
            case .none: break
            case .unsynced: try db.execute(sql: "UPDATE room SET epoch = random() WHERE is_synced = 0")
            case .all:
                try db.execute(sql: "UPDATE room SET epoch = random()")
                try FollowedLog.restart(db)
            }
            try db.execute(
                sql: """
                    INSERT INTO meta (id, file_id, boot_id, is_clean, epoch_seed)
                    VALUES (1, ?, ?, 0, random())
                    ON CONFLICT DO UPDATE SET boot_id = excluded.boot_id, is_clean = 0
                    """,
                arguments: [self.fileID, bootID]
            )
            return .commit
        }
        return Beginning(lost: self.lost, newEpochs: newEpochs, record: self.before)
    }

    /// Changes nothing, but writes a page: shows whether there is room on the disk.
    static func tryToWrite(_ db: Database) throws {
        try Self.dirty(db)
        try db.execute(sql: "UPDATE meta SET is_clean = 0")
    }

    /// Notes that everything is stored, synced to the disk.
    static func end(_ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "UPDATE meta SET is_clean = 1")
    }

    /// What `begin` does.
    func newEpochs(_ db: Database, bootID: String) throws -> NewEpochs {
        guard let row = try Row.fetchOne(db, sql: "SELECT boot_id, is_clean FROM meta") else {
            return self.lost == .none ? .none : .all
        }
        let isSafe: Bool = row["is_clean"]
        let lastBoot: String = row["boot_id"]
        switch self.lost {
        case .any: return .all
        case .none where isSafe || lastBoot == bootID: return .none
        // What is missing at the end comes from the log again, as it was.
        case .unsynced, .none: return try FollowedLog.isUsed(db) ? .none : .unsynced
        }
    }

    /// Lets the transaction write the page of `meta`, whose mark has to be set after it: SQLite writes no page for an
    /// `UPDATE` to the value that is there.
    private static func dirty(_ db: Database) throws {
        try db.execute(sql: "UPDATE meta SET is_clean = NOT is_clean")
    }

    /// Has the file itself say that it is in use: somebody may copy it without its `-wal`.
    static func mark(_ db: Database) throws {
        do {
            _ = try db.checkpoint(.truncate)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // Another process reads it: a later checkpoint does it.
        }
        // The record names the round of the `-wal` that begins here, and says that it is on the disk.
        try db.execute(sql: "PRAGMA synchronous = FULL")
        defer { self.restoreSynchronous(db) }
        try self.tryToWrite(db)
    }

    private static func randomID() -> String {
        (0..<2).map { _ in String(format: "%016lx", UInt64.random(in: 0 ... .max)) }.joined()
    }

    private static func restoreSynchronous(_ db: Database) {
        // Failing leaves commits safer and slower than they need be.
        try? db.execute(sql: "PRAGMA synchronous = NORMAL")
    }
}

extension CommitRecordFile.Content {
    fileprivate var record: CommitRecord? {
        if case .record(let record) = self { record } else { nil }
    }

    /// Whether there were commits, for all that is known.
    fileprivate var showsCommits: Bool {
        switch self {
        case .absent: false
        case .damaged: true
        case .record(let record): !record.isClosed && record.committed > 0
        }
    }
}
