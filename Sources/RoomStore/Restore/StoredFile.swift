import Foundation
import GRDB
import RoomCore
package import RoomModel

/// The database files of a broker that does not use them through this process: read only, and checked from end to end.
package enum StoredFile {
    /// The contents of the history file.
    package struct History: Equatable, Sendable {
        package var rooms: Int
        package var messages: Int
        /// Unix milliseconds: the time of the newest message.
        package var newest: Int64?
        /// Those of the messages that cannot be read.
        package var damaged: [DamagedMessages]
        /// Messages that were stored may be lost, and the next start begins new epochs.
        package var mayHaveLost = false
        /// The rooms that take most, the largest first; only where they were asked for.
        package var largest: [LargeRoom] = []
    }

    /// The contents of the control file.
    package struct Control: Equatable, Sendable {
        package var channels: Int
        package var auditEntries: Int
        /// Unix milliseconds: the time of the newest entry.
        package var newest: Int64?
        /// The channels whose rooms keep no message; empty where the file is of an earlier version.
        package var withoutHistory: [ChannelID] = []
    }

    /// - Parameters:
    ///   - largest: how many of the largest rooms to name.
    ///   - isAtRest: nobody uses the file: whether it is complete is looked at too.
    ///   - isOfBackup: it may be anybody's, and has to be as Roomline makes it.
    /// - Throws: `StoredFileError` where the file is damaged, of a newer Roomline, or cannot be read.
    package static func history(
        _ path: String,
        naming largest: Int = 0,
        isAtRest: Bool = false,
        isOfBackup: Bool = false
    ) throws(StoredFileError) -> History {
        // before SQLite looks at it; what cannot be read is told below
        let wal = (try? WriteAheadLog.state(path + "-wal")) ?? .damaged
        return try self.read(path, HistorySchema.migrator, isOfBackup ? .history : nil, table: "room") { db in
            let rooms = try Row.fetchOne(
                db,
                sql: "SELECT count(*), coalesce(sum(last_seq - oldest_seq + 1), 0), max(last_high) FROM room"
            )
            let newest: Int64? = rooms?[2]
            return History(
                rooms: rooms?[0] ?? 0,
                messages: rooms?[1] ?? 0,
                newest: newest.map { $0 >> 16 },
                damaged: try DamagedMessages.find(db),
                mayHaveLost: try isAtRest && HistorySession(ended: db, path, wal).lost != .none,
                largest: try LargestRooms(db, limit: largest).rooms
            )
        }
    }

    /// - Throws: as above.
    package static func control(_ path: String, isOfBackup: Bool = false) throws(StoredFileError) -> Control {
        try self.read(path, ControlSchema.migrator, isOfBackup ? .control : nil, table: "channel") { db in
            if let damage = try RowSeal.damaged(db).damage { throw StoredFileError(.damaged, path, damage) }
            let channels = try Int.fetchOne(db, sql: "SELECT count(*) FROM channel") ?? 0
            guard try db.tableExists("audit") else { return Control(channels: channels, auditEntries: 0) }
            let audit = try Row.fetchOne(db, sql: "SELECT count(*), max(time) FROM audit")
            return Control(
                channels: channels,
                auditEntries: audit?[0] ?? 0,
                newest: audit?[1],
                withoutHistory: try self.channelsWithoutHistory(db)
            )
        }
    }

    private static func channelsWithoutHistory(_ db: Database) throws -> [ChannelID] {
        guard try ControlSchema.migrator.hasCompletedMigrations(db) else { return [] }
        return try StoredChannel.fetchAll(db).map(\.settings).filter { !$0.keepsHistory }.map(\.id)
    }

    /// The highest Unix millisecond of ids, as the file `clock` has it; `nil` where that cannot be read.
    package static func clock(_ path: String) -> Int64? {
        // It throws where the file cannot be read: then nothing is known.
        (try? ClockFile.read(path)) ?? nil
    }

    /// Whether the file `clock` is not what was written; not where it cannot be read, or nothing was written yet.
    package static func isClockDamaged(_ path: String) -> Bool {
        (try? Data(contentsOf: URL(filePath: path))).map { ClockFile.contents(of: Array($0)) == .damaged } ?? false
    }

    private static func read<Value>(
        _ path: String,
        _ migrator: DatabaseMigrator,
        _ schema: StoredSchema?,
        table: String,
        _ facts: (Database) throws -> Value
    ) throws(StoredFileError) -> Value {
        do {
            guard FileManager.default.fileExists(atPath: path) else {
                throw StoredFileError(.missing, path, "it is missing")
            }
            try schema?.check(file: path)
            var configuration = Configuration.untrusted
            configuration.busyMode = .timeout(1)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let watch = LogWatch(path, database)
            defer { watch.stop() }
            let value = try database.read { db in
                guard try db.tableExists(table) else {
                    throw StoredFileError(.damaged, path, "it has no table \(table)")
                }
                guard try !migrator.hasBeenSuperseded(db) else {
                    throw StoredFileError(.newer, path, "a newer Roomline wrote it: use that version")
                }
                let finding = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") ?? "it cannot be checked"
                guard finding == "ok" else { throw StoredFileError(.damaged, path, finding) }
                return try facts(db)
            }
            try database.close()
            return value
        } catch let error as StoredFileError {
            throw error
        } catch {
            if (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT {
                throw StoredFileError(.busy, path, "so much is being written that the check could not finish")
            }
            let isDamaged = StorageFailure(opening: error) == .corrupt
            let reason = (error as? DatabaseError)?.message ?? "\(error)"
            throw StoredFileError(isDamaged ? .damaged : .unreadable, path, reason)
        }
    }
}

extension Configuration {
    /// To read a file that may be damaged, or of somebody else.
    static var untrusted: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        return configuration
    }
}

/// Why a database file is of no use. The text says which, and why.
package struct StoredFileError: Error, Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        case missing
        case damaged
        case newer
        case unreadable
        /// It is in such use that it was not read to its end.
        case busy
    }

    package let reason: Reason
    package let text: String

    init(_ reason: Reason, _ path: String, _ detail: String) {
        self.reason = reason
        self.text = "\(path): \(detail)"
    }
}
