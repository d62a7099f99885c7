import GRDB
import GRDBSQLite
import Logging
import NIOConcurrencyHelpers
import RoomModel

/// The open history file: its connections and their settings. Writes come from the store's queue, reads from any
/// thread.
final class HistoryFile: Sendable {
    /// 256 MiB of `-wal`.
    private static let mostPagesDuringCheck = 65_536

    /// 1 GiB: a copy that is not complete by then is given up.
    private static let mostPagesDuringCopy = 262_144

    private static let placeCheckMilliseconds: Int64 = 1_000

    let writer: any DatabaseWriter
    /// Is closed last, and can only read. SQLite's last connection moves the `-wal` into the file when it is closed, and empties
    /// that, also after a sync that has failed; one that cannot write leaves everything as it is. `nil` in memory.
    private let last: DatabaseQueue?
    /// The findings of the opening.
    let begun: HistorySession.Beginning
    /// `nil` in memory.
    let checkpointer: Checkpointer?
    /// Under way while it is not `nil`.
    private let check = NIOLockedValueBox<IntegrityCheck?>(nil)
    /// Under way while it is not `nil`.
    private let copy = NIOLockedValueBox<HistoryCopy?>(nil)
    /// Where the file and its `-wal` were when it was opened; none in memory.
    private let places: [FilePlace]
    /// Unix milliseconds.
    private let lastPlaceCheck: NIOLockedValueBox<Int64>
    /// `nil` in memory.
    private let commits: CommitRecordFile?
    /// `nil` in memory.
    let syncs: CommitSyncs?
    private let frames = CommittedFrames()
    /// The job that is under way has to be synced, whatever was asked for.
    private let mustSync = NIOLockedValueBox(false)

    /// Opens the file, which is created if there is none.
    ///
    /// - Parameter migration: is told how far it is with the messages of an earlier version, which can take long.
    init(
        _ location: StoreLocation,
        bootID: String,
        now: Int64,
        logger: Logger,
        migration: (MigrationProgress) -> Void
    ) throws {
        // First of all, it shows whether anything can be written here.
        if let path = location.path {
            try PrivateFile.create(path)
            try WriteAheadLog.writeAgain(path + "-wal")
        }
        let wal = try location.path.map { try WriteAheadLog.state($0 + "-wal") } ?? .empty
        let writer = try Self.connect(location)
        let last = try location.path.map { try Self.connectToRead($0) }
        do {
            let session = try writer.read { try HistorySession(ended: $0, location.path, wal) }
            if session.lost != .none, wal.hasFrames, let path = location.path {
                // SQLite is going to overwrite it.
                try CorruptFile.copyAside(path + "-wal", now: now)
            }
            try writer.writeWithoutTransaction { db in
                // Each room that is written to has a page of its own at work: 16 MiB hold those of some 4,000 rooms.
                try db.execute(sql: "PRAGMA cache_size = -16384")
                try db.keepDeletedBytes()
                // `Checkpointer` does it.
                try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
                try db.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
            }
            let isNewer = try writer.read { try HistorySchema.migrator.hasBeenSuperseded($0) }
            guard !isNewer else {
                throw HistoryStoreError(text: "a newer Roomline wrote it: start that version, or move the file away")
            }
            try BatchMigration.migrate(writer, report: migration)
            (self.begun, self.commits) = try writer.writeWithoutTransaction { [frames] db in
                frames.follow(db)
                guard let path = location.path else { return (try session.begin(db, bootID: bootID), nil) }
                if session.replacesRecord { try CommitRecordFile.begin(session.record, beside: path) }
                let begun = try session.begin(db, bootID: bootID)
                if session.isAtRest { try HistorySession.mark(db) }
                let commits = try CommitRecordFile(session.record, beside: path, logger: logger)
                let begin = commits.committed(through: frames.count)
                commits.synced(begin)
                try commits.sync()
                return (begun, commits)
            }
        } catch {
            // In this order: see `last`. What cannot be closed is left to the next try.
            try? writer.close()
            try? last?.close()
            throw error
        }
        self.last = last
        self.syncs = self.commits.map { CommitSyncs($0) }
        self.writer = writer
        self.checkpointer = try location.path.map { try Checkpointer(path: $0) }
        self.places = location.path.map { path in ["", "-wal"].compactMap { FilePlace(path + $0) } } ?? []
        self.lastPlaceCheck = NIOLockedValueBox(now)
    }

    /// To be called before each transaction; looks once a second.
    ///
    /// - Throws: `FilePlace.Lost`.
    func checkPlaces(now: Int64) throws {
        let isDue = self.lastPlaceCheck.withLockedValue { last in
            // the clock may have been set back
            guard abs(now - last) >= Self.placeCheckMilliseconds else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        do {
            for place in self.places { try place.check() }
        } catch {
            self.lastPlaceCheck.withLockedValue { $0 = now - Self.placeCheckMilliseconds }
            throw error
        }
    }

    private static func connect(_ location: StoreLocation) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.label = "roomline.history"
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = 4
        // Nobody else should be writing; an operator's sqlite3 may for a moment.
        configuration.busyMode = .timeout(0.1)
        configuration.prepareDatabase { try Self.keepWAL($0) }
        guard let path = location.path else { return try DatabaseQueue(configuration: configuration) }
        return try DatabasePool(path: path, configuration: configuration)
    }

    /// Takes a shared lock of the file until it is closed.
    private static func connectToRead(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "roomline.history.last"
        configuration.readonly = true
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        _ = try connection.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
        return connection
    }

    /// Lets a connection that is closed leave the `-wal` alone: SQLite would delete it by its name, under which the
    /// next file's may lie by then (`HistorySupervisor.replace`).
    static func keepWAL(_ db: Database) throws {
        var isKept: CInt = 1
        sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    /// Runs `work` in one transaction. On return it survives the process; `syncs` tells when it is on the disk.
    ///
    /// - Returns: its place in the `-wal`; `nil` if it has changed nothing.
    func transaction(_ work: (Database) throws -> Void) throws -> CommitPlace? {
        try self.writer.writeWithoutTransaction { db in
            let changes = db.totalChangesCount
            try db.inTransaction(.immediate) {
                try work(db)
                return .commit
            }
            guard db.totalChangesCount != changes else { return nil }
            return self.commits?.committed(through: self.frames.count) ?? CommitPlace()
        }
    }

    /// The job that is under way is synced, whatever its durability.
    func syncJob() {
        self.mustSync.withLockedValue { $0 = true }
    }

    /// Whether the last job has asked for a sync.
    func takeSyncOfJob() -> Bool {
        self.mustSync.withLockedValue { mustSync in
            defer { mustSync = false }
            return mustSync
        }
    }

    /// To be called after each transaction: keeps the `-wal` short.
    ///
    /// - Parameter isFull: the disk has no room for a longer `-wal`.
    func checkpointIfDue(pagesBetween: UInt32, isFull: Bool, failed: @escaping @Sendable (any Error) -> Void) throws {
        guard let checkpointer else { return }
        let pages = try self.writer.writeWithoutTransaction {
            try checkpointer.checkpointIfDue($0, pagesBetween: pagesBetween, failed: failed)
        }
        // The check is a reader that keeps the `-wal` from beginning anew.
        if isFull || pages > Self.mostPagesDuringCheck { self.stopCheck() }
        if pages > Self.mostPagesDuringCopy { self.stopCopy() }
    }

    /// Reads through the whole file in search of damage; returns the damaged messages.
    func checkIntegrity(path: String) async throws -> [DamagedMessages] {
        let check = try IntegrityCheck(path: path)
        self.check.withLockedValue { $0 = check }
        defer {
            check.close()
            self.check.withLockedValue { $0 = nil }
        }
        return try await check.run()
    }

    /// Copies the file as it is at one moment, at which `pinned` is called, and `goingOn` after each step; blocks until that
    /// is done.
    func copy(path: String, to target: String, pinned: () throws -> Void, goingOn: @escaping () throws -> Void) throws {
        let copy = try HistoryCopy(path: path)
        self.copy.withLockedValue { $0 = copy }
        defer {
            copy.close()
            self.copy.withLockedValue { $0 = nil }
        }
        try copy.run(to: target, pinned: pinned, goingOn: goingOn)
    }

    func stopCopy() {
        self.copy.withLockedValue { $0 }?.stop()
    }

    private func stopCheck() {
        self.check.withLockedValue { $0 }?.stop()
    }

    /// Marks the file as complete, takes the `-wal` in and closes it.
    func close() throws {
        self.stopCheck()
        self.stopCopy()
        try self.checkpointer?.close()
        try self.writer.barrierWriteWithoutTransaction { db in
            try HistorySession.end(db)
            try self.commits?.close()
            // Frames that stay in the `-wal` are synced and are taken in at the next start.
            _ = try? db.checkpoint(.truncate)
        }
        try self.writer.close()
        try self.last?.close()
    }

    /// Leaves a file of which a sync has failed as it is: acknowledges nothing more, and closes what reads it. To be called
    /// until it does not throw; from then on this process has no connection to it.
    func leave() throws {
        self.syncs?.fail()
        self.stopCheck()
        self.stopCopy()
        guard self.check.withLockedValue({ $0 == nil }), self.copy.withLockedValue({ $0 == nil }) else {
            throw DatabaseError(resultCode: .SQLITE_BUSY, message: "the history is still read")
        }
        try self.checkpointer?.close()
        try self.writer.close()
        try self.last?.close()
    }

    /// Closes a file that was moved aside.
    func abandon() {
        self.syncs?.fail()
        self.stopCheck()
        self.stopCopy()
        // Where that fails a connection to the moved file stays open, which harms nobody.
        try? self.checkpointer?.close()
        try? self.writer.close()
        try? self.last?.close()
    }
}

/// How many frames of the `-wal` are committed, as SQLite tells the writer's connection.
private final class CommittedFrames: Sendable {
    private let frames = NIOLockedValueBox<UInt32>(0)

    var count: UInt32 { self.frames.withLockedValue(\.self) }

    /// It has to outlive the connection's last commit.
    func follow(_ db: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                let committed = Unmanaged<CommittedFrames>.fromOpaque(context).takeUnretainedValue()
                committed.frames.withLockedValue { $0 = UInt32(max(0, frames)) }
                return SQLITE_OK
            },
            context
        )
    }
}
