import GRDB
package import Logging
package import RoomCore
package import RoomModel

/// The channel directory in `control.sqlite`: small, seldom changed, and never guessed at.
///
/// Each change is synced to the disk and then copied to `control.sqlite.backup`. A damaged or missing file is replaced
/// by that copy; where there is none either, the broker does not start: security never fails open. Calls block for the
/// disk and are made at start and by administration only.
package final class ControlStore: Sendable {
    private let database: DatabaseQueue
    /// `nil` in memory.
    private let files: ControlFiles?

    /// - Parameter now: Unix milliseconds, to name what is moved aside.
    package init(_ location: StoreLocation, logger: Logger, now: Int64) throws(ChannelDirectoryError) {
        self.files = location.path.map { ControlFiles(path: $0, logger: logger) }
        do {
            if let files {
                self.database = try files.open(now: now)
            } else {
                self.database = try DatabaseQueue()
            }
            try ControlSchema.migrator.migrate(self.database)
            try self.files?.backUp(self.database)
        } catch let error as ChannelDirectoryError {
            throw error
        } catch {
            throw ChannelDirectoryError(
                .unavailable,
                text: "cannot prepare the control file \(location.path ?? ":memory:"): \(error)"
            )
        }
    }

    package func channels() throws(ChannelDirectoryError) -> [StoredChannel] {
        try self.reporting("read") {
            try self.database.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM channel ORDER BY id").map { row in
                    StoredChannel(settings: try ChannelSettings(row: row), secrets: [], version: 1)
                }
            }
        }
    }

    package func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError) {
        try self.reporting("write") {
            try self.database.write { db in
                for channel in channels {
                    try channel.upsert(db)
                }
            }
            try self.files?.backUp(self.database)
        }
    }

    package func close() throws(ChannelDirectoryError) {
        try self.reporting("close") { try self.database.close() }
    }

    private func reporting<Value>(_ verb: String, _ body: () throws -> Value) throws(ChannelDirectoryError) -> Value {
        do {
            return try body()
        } catch {
            throw ChannelDirectoryError(
                .unavailable,
                text:
                    "cannot \(verb) the control file \(self.database.path): \(error). Check the disk and its owner."
            )
        }
    }
}
