import Foundation
import GRDB
import NIOConcurrencyHelpers

/// Copies the history file as it is at one moment, beside everything else: a connection of its own holds that moment as a
/// reader does, and SQLite's online backup copies its pages in steps.
///
/// Commits go on meanwhile, into the `-wal`, which cannot begin anew before the copy is done (`HistoryFile`).
final class HistoryCopy: Sendable {
    private static let pagesInStep: CInt = 256
    /// So much is written before it is synced: the disk is not given a whole file at once while commits wait for it.
    private static let stepsBetweenSyncs = 16

    private let connection: DatabaseQueue
    private let isStopped = NIOLockedValueBox(false)

    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "roomline.history.copy"
        configuration.readonly = true
        self.connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Blocks until the copy is complete and synced.
    ///
    /// - Parameters:
    ///   - target: a file that is empty.
    ///   - pinned: is called once the moment is held, before anything is copied.
    ///   - goingOn: is called after each step; the copy ends where it throws.
    /// - Throws: SQLITE_INTERRUPT after `stop`; what `pinned` and `goingOn` throw.
    func run(to target: String, pinned: () throws -> Void, goingOn: @escaping () throws -> Void) throws {
        var configuration = Configuration()
        configuration.label = "roomline.history.copied"
        configuration.prepareDatabase { db in
            // Nobody opens it before it is complete and synced, so there is nothing to roll back to.
            try db.execute(sql: "PRAGMA journal_mode = OFF")
            try db.execute(sql: "PRAGMA synchronous = OFF")
        }
        let copied = try DatabaseQueue(path: target, configuration: configuration)
        try self.connection.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM meta")
            try pinned()
            try copied.writeWithoutTransaction { try self.copy(db, to: $0, target, goingOn) }
        }
        try copied.close()
        try PrivateFile.sync(target)
    }

    func close() {
        // Where that fails it is closed with this object.
        try? self.connection.close()
    }

    private func copy(
        _ db: Database,
        to target: Database,
        _ path: String,
        _ goingOn: @escaping () throws -> Void
    ) throws {
        var steps = 0
        try db.backup(to: target, pagesPerStep: Self.pagesInStep) { _ in
            guard !self.isStopped.withLockedValue(\.self) else { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
            try goingOn()
            steps += 1
            if steps.isMultiple(of: Self.stepsBetweenSyncs) { try PrivateFile.sync(path) }
        }
        // So that it is one file, which can be looked into without any beside it.
        _ = try String.fetchOne(target, sql: "PRAGMA journal_mode = DELETE")
    }

    /// Ends the copying wherever it is.
    func stop() {
        self.isStopped.withLockedValue { $0 = true }
    }
}
