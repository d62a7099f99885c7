import Foundation
import GRDB

/// Opens a history file on a disk on which nothing can be written.
enum ReadOnlyHistory {
    /// On a disk that is full. What is read there holds on when there is room again: no room has to begin a new epoch.
    ///
    /// - Throws: as below, and where rooms have to.
    static func open(_ path: String, bootID: String) throws -> any DatabaseReader {
        let wal = try WriteAheadLog.state(path + "-wal")
        let reader = try self.open(path)
        let newEpochs = try reader.read { db in
            try HistorySession(ended: db, path, wal).newEpochs(db, bootID: bootID)
        }
        guard newEpochs == .none else {
            throw HistoryStoreError(
                text: "rooms have to begin new epochs first, for which there is no room on the disk"
            )
        }
        return reader
    }

    /// - Throws: where there is none, it is not of this version, or it cannot be read without writing beside it.
    static func open(_ path: String) throws -> any DatabaseReader {
        let reader: any DatabaseReader
        do {
            reader = try self.connect(path)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            // SQLite needs its file `-shm` to read a `-wal`. Without frames in it, the database is all there is.
            guard try !WriteAheadLog.state(path + "-wal").hasFrames else { throw error }
            var components = URLComponents()
            components.scheme = "file"
            components.path = path
            components.query = "immutable=1"
            reader = try self.connect(components.string ?? path)
        }
        guard try reader.read({ try HistorySchema.migrator.hasCompletedMigrations($0) }) else {
            throw HistoryStoreError(text: "another version of Roomline wrote it")
        }
        return reader
    }

    private static func connect(_ path: String) throws -> any DatabaseReader {
        var configuration = Configuration()
        configuration.label = "roomline.history.read"
        configuration.readonly = true
        configuration.maximumReaderCount = 4
        let pool = try DatabasePool(path: path, configuration: configuration)
        _ = try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
        return pool
    }
}
