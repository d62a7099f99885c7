import GRDB
package import Logging
import NIOConcurrencyHelpers
package import RoomCore

/// `control.sqlite`: channels with their secrets, admin tokens, and the audit log. Small, seldom changed, and never
/// guessed at.
///
/// Each change is one transaction with its audit entry, synced to the disk and then copied to `control.sqlite.backup`. A
/// damaged or missing file is replaced by that copy, also where only a row is damaged (`RowSeal`); where there is none either, the
/// broker does not start: security never fails open. Calls block for the disk and are made at start and by administration only.
///
/// Channel secrets lie in clear in the file and its backup, since HS256 and HTTP Basic need the secret itself; both
/// files are mode 0600, and what is deleted from them is overwritten. Admin tokens are there only as hashes.
package final class ControlStore: Sendable {
    private let database: DatabaseQueue
    /// `nil` in memory.
    private let files: ControlFiles?
    /// `nil` in memory.
    private let place: FilePlace?
    private let reserve: DiskReserve
    private let isMissing = NIOLockedValueBox(false)
    private let logger: Logger
    /// Whether no change can be made before the next start.
    package let isReadOnly: Bool
    /// Unix milliseconds: the time of what the start changes.
    let startTime: Int64

    /// - Parameters:
    ///   - reserve: is given up where the disk is full.
    ///   - now: Unix milliseconds, to name what is moved aside and to date what `ensure` changes.
    ///   - mayBegin: where there is neither a file nor its backup, a new one is begun.
    ///   - isReadOnly: the disk is: changes are refused, and a file is needed that is whole and of this version.
    package init(
        _ location: StoreLocation,
        reserve: DiskReserve = .none,
        logger: Logger,
        now: Int64,
        mayBegin: Bool = true,
        isReadOnly: Bool = false
    ) throws(ChannelDirectoryError) {
        self.files = location.path.map {
            ControlFiles(path: $0, mayBegin: mayBegin, isReadOnly: isReadOnly, logger: logger)
        }
        self.reserve = reserve
        self.isReadOnly = isReadOnly
        self.logger = logger
        self.startTime = now
        do {
            let database = try reserve.makingRoom { [files] in try files?.open(now: now) } ?? DatabaseQueue()
            self.database = database
            if !isReadOnly {
                try reserve.makingRoom { try ControlSchema.migrator.migrate(database) }
                try database.writeWithoutTransaction { try RowSeal.follow($0) }
            }
            self.place = location.path.flatMap(FilePlace.init)
        } catch let error as ChannelDirectoryError {
            throw error
        } catch {
            throw ChannelDirectoryError(
                .unavailable,
                text: "cannot prepare the control file \(location.path ?? ":memory:"): \(Self.reason(error))"
            )
        }
        guard !isReadOnly else { return }
        do {
            try self.backUp()
        } catch {
            // The backup of the last change is there still: a full disk is no reason not to start.
            self.tellUnbackedUp(error)
        }
    }

    package func close() throws(ChannelDirectoryError) {
        try self.reporting("close") { try self.database.close() }
    }

    /// Whether the file was where it was opened when `look` looked last. Without it no change is made.
    package var isInPlace: Bool { !self.isMissing.withLockedValue(\.self) }

    /// Looks whether the file is where it was opened; the log says when it is not any more, and when it is again.
    package func look() {
        do {
            try self.place?.check()
            guard self.wasMissing(now: false) else { return }
            self.logger.notice("the control file can be changed again", metadata: self.metadata)
        } catch {
            guard !self.wasMissing(now: true) else { return }
            self.logger.error(
                "the control file cannot be changed",
                metadata: self.metadata.merging(["error": "\(error)"]) { $1 }
            )
        }
    }

    private func wasMissing(now isMissing: Bool) -> Bool {
        self.isMissing.withLockedValue { wasMissing in
            defer { wasMissing = isMissing }
            return wasMissing
        }
    }

    private var metadata: Logger.Metadata { ["control.path": "\(self.database.path)"] }

    func read<Value>(_ body: (Database) throws -> Value) throws(ChannelDirectoryError) -> Value {
        try self.reporting("read") { try self.database.read(body) }
    }

    /// Runs `body` in one synced transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws(ChannelDirectoryError) -> Value {
        try self.reporting("write") {
            try self.place?.check()
            return try self.reserve.makingRoom { try self.database.write(body) }
        }
    }

    /// Runs `body`, which notes what it does, in one synced transaction, then makes the backup.
    func change<Value>(_ body: (Database) throws -> Value) throws(ChannelDirectoryError) -> Value {
        let value = try self.write(body)
        do {
            try self.backUp()
        } catch {
            // The change stands, and its caller has to carry it out. The next one makes a backup too.
            self.tellUnbackedUp(error)
        }
        return value
    }

    private func tellUnbackedUp(_ error: ChannelDirectoryError) {
        self.logger.critical(
            "the backup of the control file could not be made",
            metadata: self.metadata.merging(["error": "\(error.text)"]) { $1 }
        )
    }

    func backUp() throws(ChannelDirectoryError) {
        try self.reporting("back up") { try self.reserve.makingRoom { try self.files?.backUp(self.database) } }
    }

    /// Copies the database to a file that is empty, and syncs that. Changes wait meanwhile.
    func copy(to target: String) throws(ChannelDirectoryError) {
        try self.reporting("copy") {
            try self.database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [target]) }
            try PrivateFile.sync(target)
        }
    }

    private func reporting<Value>(_ verb: String, _ body: () throws -> Value) throws(ChannelDirectoryError) -> Value {
        do {
            return try body()
        } catch let error as ChannelDirectoryError {
            throw error
        } catch {
            throw ChannelDirectoryError(
                .unavailable,
                text: """
                    cannot \(verb) the control file \(self.database.path): \(Self.reason(error)). Check the disk and its \
                    owner.
                    """
            )
        }
    }

    /// Without the statement and what was bound to it: there may be secrets in it.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        return "\(error.message ?? "SQLite gives no reason") (\(error.extendedResultCode.rawValue))"
    }
}
