import Dispatch
import Foundation
import GRDB
package import Logging
import NIOConcurrencyHelpers
package import RoomCore
import RoomModel

/// Makes backups in a directory of their own beside the files, and keeps each until it has been fetched.
///
/// The moment of the history is held first, and the control file is copied while it is held: so the rules are never
/// older than the messages. A secret that was rotated out, a ban, a channel that was closed to strangers before a
/// message was published holds in the restored broker, too. The other way round, messages could come back under rules
/// that had let more people read them. Acts of clearing or redacting between the two moments are in the audit log only.
package final class BackupStore: BackupService {
    package static let historyName = "history.sqlite"
    package static let controlName = "control.sqlite"
    package static let clockName = "clock"
    /// The files of a backup.
    package static let names = [BackupStore.historyName, BackupStore.controlName, BackupStore.clockName]

    /// Whoever fetches goes on within this time; afterwards another backup may take its place.
    private static let patience: Int64 = 60 * 1_000
    /// One that nobody asks for any more is removed after this time.
    private static let lifetime: Int64 = 10 * 60 * 1_000
    /// The history needs room to go on while the copy is made.
    private static let spareBytes: Int64 = 256 << 20
    /// A copy gives up before it leaves less than this to the history.
    private static let reservedBytes: Int64 = 128 << 20

    /// Within the data directory. It is emptied at each start: a name that nobody picks for backups of their own.
    static let directoryName = "backup.unfinished"

    private struct State {
        var current: Kept?
        var isMaking = false
        var isClosed = false
    }

    private struct Kept {
        var backup: StoredBackup
        var readers = 0
        var lastUsed: Int64
    }

    private let directory: String
    private let history: HistoryStore
    private let control: ControlStore
    private let clock: ClockFloor
    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let queue = DispatchQueue(label: "roomline.backup", qos: .utility)
    private let state = NIOLockedValueBox(State())

    /// Removes what an earlier broker left. `nil` for a directory in memory, of which there is nothing to copy.
    ///
    /// - Parameter now: Unix milliseconds.
    package init?(
        _ directory: DataDirectory,
        history: HistoryStore,
        control: ControlStore,
        logger: Logger,
        now: @escaping @Sendable () -> Int64
    ) {
        guard let path = directory.path else { return nil }
        self.directory = "\(path)/\(Self.directoryName)"
        self.history = history
        self.control = control
        self.clock = directory.clock
        self.now = now
        self.logger = logger
        self.removeAll()
    }

    // MARK: BackupService

    package func make() async throws(BackupError) -> StoredBackup {
        let replaced = try self.begin()
        let result: Result<StoredBackup, BackupError> = await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume(returning: self.make(replacing: replaced)) }
        }
        return try result.get()
    }

    package func read(_ file: String, of id: String) throws(BackupError) -> any BackupReading {
        let now = self.now()
        let isThere = self.state.withLockedValue { state in
            guard state.current?.backup.id == id, Self.names.contains(file) else { return false }
            state.current?.readers += 1
            state.current?.lastUsed = now
            return true
        }
        guard isThere else { throw .notFound }
        do {
            return try BackupReader(path: "\(self.directory)/\(id)/\(file)") { self.readerLeft(id) }
        } catch {
            self.readerLeft(id)
            throw .failed("the backup's \(file) cannot be read: \(error)")
        }
    }

    package func remove(_ id: String) async throws(BackupError) {
        let isThere = self.state.withLockedValue { state in
            guard state.current?.backup.id == id else { return false }
            state.current = nil
            return true
        }
        guard isThere else { throw .notFound }
        await self.deleteOnQueue(id)
    }

    // MARK: Upkeep

    /// Removes a backup that nobody fetches any more; to be called each minute.
    package func expire() async {
        let now = self.now()
        let expired = self.state.withLockedValue { state -> String? in
            guard let kept = state.current, kept.readers == 0, now - kept.lastUsed >= Self.lifetime else { return nil }
            state.current = nil
            return kept.backup.id
        }
        guard let expired else { return }
        self.logger.notice("a backup that nobody downloaded was removed", metadata: ["backup.id": "\(expired)"])
        await self.deleteOnQueue(expired)
    }

    /// Ends what is being made and removes all of it; to be called before the stores are closed.
    package func close() async {
        self.state.withLockedValue { $0.isClosed = true }
        self.history.stopCopy()
        await withCheckedContinuation { continuation in
            self.queue.async {
                self.state.withLockedValue { $0.current = nil }
                self.removeAll()
                continuation.resume()
            }
        }
    }

    // MARK: Steps

    /// Takes the turn. Returns the backup that the next one replaces.
    private func begin() throws(BackupError) -> String? {
        let now = self.now()
        let result = self.state.withLockedValue { state -> Result<String?, BackupError> in
            guard !state.isClosed else { return .failure(.failed("the broker is stopping")) }
            guard !state.isMaking else { return .failure(.underWay) }
            let kept = state.current
            if let kept, kept.readers > 0 || now - kept.lastUsed < Self.patience { return .failure(.underWay) }
            state.isMaking = true
            state.current = nil
            return .success(kept?.backup.id)
        }
        return try result.get()
    }

    private func make(replacing replaced: String?) -> Result<StoredBackup, BackupError> {
        if let replaced { self.delete(replaced) }
        let id = Self.newID(now: self.now())
        do {
            let backup = try self.copy(to: id)
            let isKept = self.state.withLockedValue { state in
                state.isMaking = false
                guard !state.isClosed else { return false }
                state.current = Kept(backup: backup, lastUsed: self.now())
                return true
            }
            guard isKept else { throw BackupFailure("the broker is stopping") }
            return .success(backup)
        } catch {
            self.state.withLockedValue { $0.isMaking = false }
            self.delete(id)
            let reason = Self.reason(error)
            self.logger.error("a backup could not be made", metadata: ["error": "\(reason)"])
            return .failure(.failed("no backup was made: \(reason)"))
        }
    }

    private func copy(to id: String) throws -> StoredBackup {
        let path = "\(self.directory)/\(id)"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try self.checkSpace()
        for name in Self.names { try PrivateFile.create("\(path)/\(name)") }
        var created: Int64 = 0
        try self.history.copy(
            to: "\(path)/\(Self.historyName)",
            pinned: {
                created = self.now()
                guard !self.state.withLockedValue({ $0.isClosed }) else {
                    throw BackupFailure("the broker is stopping")
                }
                try self.control.copy(to: "\(path)/\(Self.controlName)")
                try ClockFile.write(self.clock.reserved, to: "\(path)/\(Self.clockName)")
            },
            goingOn: { try self.checkReserve() }
        )
        let files = try Self.names.map { name in
            let (sha256, bytes) = try FileDigest.of("\(path)/\(name)")
            return BackupFile(name: name, bytes: bytes, sha256: sha256)
        }
        return StoredBackup(id: id, created: created, files: files)
    }

    /// A backup must not be what fills the disk.
    private func checkSpace() throws {
        let needed = (self.history.fileBytes ?? 0) + Self.spareBytes
        let free = try DiskSpace.free(at: self.directory)
        guard free >= needed else {
            throw BackupFailure(
                """
                the copy needs \(needed >> 20) MiB beside the history, with what that may grow meanwhile, and \
                \(self.directory) has \(free >> 20) MiB: make room there
                """
            )
        }
    }

    /// The `-wal` grows while the copy is made, by what is published meanwhile: how much is known only as it happens.
    private func checkReserve() throws {
        let free = try DiskSpace.free(at: self.directory)
        guard free >= Self.reservedBytes else {
            throw BackupFailure(
                "the disk of \(self.directory) became too full, \(free >> 20) MiB are left: free some space there"
            )
        }
    }

    private func readerLeft(_ id: String) {
        let now = self.now()
        self.state.withLockedValue { state in
            guard state.current?.backup.id == id else { return }
            state.current?.readers -= 1
            state.current?.lastUsed = now
        }
    }

    /// To let go of a large file takes the disk a while.
    private func deleteOnQueue(_ id: String) async {
        await withCheckedContinuation { continuation in
            self.queue.async {
                self.delete(id)
                continuation.resume()
            }
        }
    }

    /// Only what has a name as `newID` gives it.
    private func removeAll() {
        // Where it cannot be read there is none, or nothing that could be removed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        for name in names where UniqueID(name.utf8) != nil { self.delete(name) }
        // The directory stays where it has files that are not ours.
        rmdir(self.directory)
    }

    private func delete(_ id: String) {
        let path = "\(self.directory)/\(id)"
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            self.logger.error("a backup could not be removed", metadata: ["path": "\(path)", "error": "\(error)"])
        }
    }

    private static func newID(now: Int64) -> String {
        var generator = SystemRandomNumberGenerator()
        return "\(UniqueID(milliseconds: now, sequence: 0, random: generator.next()))"
    }

    private static func reason(_ error: any Error) -> String {
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_INTERRUPT?:
            "it was stopped before it was complete, because the broker is stopping, or so much is published that the copy "
                + "holds up too much of it; try again at a quieter time"
        case .SQLITE_FULL?: "the disk is full; make room"
        case .SQLITE_CORRUPT?, .SQLITE_NOTADB?: "the history file is damaged (\(error))"
        default: "\(error)"
        }
    }
}
