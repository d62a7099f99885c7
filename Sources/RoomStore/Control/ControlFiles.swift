import Foundation
import GRDB
import Logging
import RoomCore

/// The control file and its backup as files: which of them is opened, and how one is made from the other.
///
/// Every file gets its name only when it is complete and on the disk, so that what lies under a name is whole or
/// damaged, never unfinished.
struct ControlFiles {
    let path: String
    /// Where there is neither the file nor its backup, a new one is begun.
    let mayBegin: Bool
    /// Whether the disk is; then the file is opened as it is.
    let isReadOnly: Bool
    let logger: Logger

    private var backupPath: String { self.path + ".backup" }

    func open(now: Int64) throws -> DatabaseQueue {
        if self.isReadOnly { return try Self.openSound(self.path, isReadOnly: true) }
        let files = FileManager.default
        guard files.fileExists(atPath: self.path) else {
            if files.fileExists(atPath: self.backupPath) {
                try self.restore(because: "it is missing", now: now)
            } else if self.mayBegin {
                try self.create()
            } else {
                throw ChannelDirectoryError(.unavailable, text: self.missing)
            }
            return try Self.openSound(self.path)
        }
        do {
            return try Self.openSound(self.path)
        } catch {
            guard Damage.isDamage(error) else { throw error }
            try self.restore(because: "\(error)", now: now)
            return try Self.openSound(self.path)
        }
    }

    /// Copies the database to the backup. One call at a time: it has the database to itself.
    func backUp(_ database: DatabaseQueue) throws {
        try database.writeWithoutTransaction { db in
            // The copy until now has these rows as they were.
            if let damage = try RowSeal.damaged(db).damage { throw Damage(text: damage) }
            try PrivateFile.replace(self.backupPath) { temporary in
                try db.execute(sql: "VACUUM INTO ?", arguments: [temporary])
            }
        }
    }

    private var missing: String {
        """
        the control file \(self.path) and its backup \(self.backupPath) are missing, although a history is there. They \
        have the channels, who may enter them, and whom moderators have banned. Put back a copy of either, or start once \
        with --accept-lost-channels to begin without them.
        """
    }

    private func create() throws {
        try PrivateFile.replace(self.path) { temporary in
            let database = try DatabaseQueue(path: temporary)
            try ControlSchema.migrator.migrate(database)
            try database.close()
        }
    }

    /// Puts the backup in the place of the control file, which is moved aside.
    private func restore(because reason: String, now: Int64) throws {
        do {
            try Self.openSound(self.backupPath).close()
        } catch {
            throw ChannelDirectoryError(
                .unavailable,
                text: """
                    the control file \(self.path) cannot be used (\(reason)), and neither can its backup \
                    \(self.backupPath) (\(error)). Put back a copy of either, or move both away and start once with \
                    --accept-lost-channels to begin without the channels that there were.
                    """
            )
        }
        let moved = try CorruptFile.moveAside(self.path, now: now)
        try PrivateFile.replace(self.path) { temporary in
            try Data(contentsOf: URL(filePath: self.backupPath)).write(to: URL(filePath: temporary))
        }
        self.logger.critical(
            "control file could not be used: its last backup was put in its place",
            metadata: ["control.path": "\(self.path)", "control.moved_to": "\(moved)", "error": "\(reason)"]
        )
    }

    /// Opens a file that is sound from end to end and has our tables.
    private static func openSound(_ path: String, isReadOnly: Bool = false) throws -> DatabaseQueue {
        guard FileManager.default.fileExists(atPath: path) else { throw Damage(text: "it is missing") }
        if !isReadOnly { try PrivateFile.create(path) }
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.label = "roomline.control"
        configuration.prepareDatabase { db in
            // Not FULL: a commit is the removal of the journal, which has to be on the disk, too.
            try db.execute(sql: "PRAGMA synchronous = EXTRA")
            // A secret that was replaced is not to be found in the file.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // Nearly all of the file is the audit log: without this, the check of the start and each backup would leave two
            // megabytes of it in memory.
            try db.execute(sql: "PRAGMA cache_size = -256")
            // The triggers of `RowSeal` are no file.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.read { db in
            let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
            guard finding == "ok" else { throw Damage(text: finding ?? "it cannot be checked") }
            guard try db.tableExists("channel") else { throw Damage(text: "it has no table of channels") }
            guard try !ControlSchema.migrator.hasBeenSuperseded(db) else {
                throw ChannelDirectoryError(
                    .unavailable,
                    text:
                        "a newer Roomline wrote the control file \(path): start that version, or put an older copy back"
                )
            }
            if let damage = try RowSeal.damaged(db).damage { throw Damage(text: damage) }
            guard try !isReadOnly || ControlSchema.migrator.hasCompletedMigrations(db) else {
                throw Damage(text: "an earlier Roomline wrote it, and it cannot be taken over on a read-only disk")
            }
        }
        return database
    }

    /// Damage that makes a file unusable although SQLite can open it.
    private struct Damage: Error, CustomStringConvertible {
        let text: String

        var description: String { self.text }

        static func isDamage(_ error: any Error) -> Bool {
            error is Damage || StorageFailure(opening: error) == .corrupt
        }
    }
}
