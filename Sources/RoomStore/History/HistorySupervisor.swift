import Foundation
import GRDB
import Logging
import NIOConcurrencyHelpers
import RoomCore

/// Keeps the one history file open: opens it, replaces it when it is corrupt, tells operators when it fails and when it
/// works again.
///
/// `current` is read and failures are reported on any thread; everything else is called on the store's queue.
final class HistorySupervisor: Sendable {
    private struct State {
        /// `nil` while it cannot be opened.
        var file: HistoryFile?
        /// The file to read while there is no file that can be written.
        var readOnly: (any DatabaseReader)?
        /// Why there is none: the disk is read-only. Otherwise it is full.
        var isDiskReadOnly = false
        /// A sync of it has failed; it is closed before the file is opened again.
        var left: HistoryFile?
        var generation = 1
        var failures = 0
        /// Why the file that is there has to be moved aside before another is opened.
        var corruption: String?
        var isFailing = false
        /// The newest failure was that the file is not where it was opened.
        var isMissing = false
        /// The newest failure was that the disk is full.
        var isFull = false
        var isClosed = false
        /// The file did not have all that was committed when it was opened, for all that is known.
        var mayHaveLost = false
    }

    /// Who reads a file on a full disk goes on until there is so much room that it can be opened to write.
    private static let bytesToOpen: Int64 = 256 << 10

    private let location: StoreLocation
    let reserve: DiskReserve
    let queue: DispatchQueue
    private let bootID: String
    let logger: Logger
    let now: @Sendable () -> Int64
    private let migration: @Sendable (MigrationProgress) -> Void
    private let state = NIOLockedValueBox(State())

    init(
        _ location: StoreLocation,
        reserve: DiskReserve,
        queue: DispatchQueue,
        bootID: String,
        logger: Logger,
        now: @escaping @Sendable () -> Int64,
        migration: @escaping @Sendable (MigrationProgress) -> Void
    ) throws(HistoryStoreError) {
        self.location = location
        self.reserve = reserve
        self.queue = queue
        self.bootID = bootID
        self.logger = logger
        self.now = now
        self.migration = migration
        do {
            try self.open()
        } catch {
            try self.couldNotStart(error)
        }
    }

    var current: (file: HistoryFile?, generation: Int) {
        self.state.withLockedValue { ($0.file, $0.generation) }
    }

    /// The file to read.
    var reading: (reader: (any DatabaseReader)?, generation: Int) {
        self.state.withLockedValue { ($0.file?.writer ?? $0.readOnly, $0.generation) }
    }

    /// Whether messages that were stored may be lost, as the last start found.
    var mayHaveLost: Bool { self.state.withLockedValue { $0.mayHaveLost } }

    var generation: Int { self.state.withLockedValue { $0.generation } }

    /// `nil` in memory.
    var path: String? { self.location.path }

    /// Whether the file is open, the last that was tried with it went well, and new messages have room.
    var isWritable: Bool {
        self.reserve.admitsMessages && self.state.withLockedValue { $0.file != nil && !$0.isFailing && !$0.isClosed }
    }

    /// Why nothing can be stored while there is no file that can be written.
    var refusal: EngineError {
        self.state.withLockedValue { $0.isDiskReadOnly ? .readOnly : $0.isFull ? .full : .unavailable }
    }

    /// The bytes of the file and its `-wal`; `nil` in memory.
    var fileBytes: Int64? {
        self.location.path.map { path in
            // One that is not there has none.
            ["", "-wal"].reduce(0) { $0 + ((try? PrivateFile.size(path + $1)) ?? 0) }
        }
    }

    /// The open file; opens it where that failed before. `nil` where it fails again.
    func openedFile() -> (HistoryFile, generation: Int)? {
        let (file, generation) = self.current
        if let file { return (file, generation) }
        guard !self.state.withLockedValue({ $0.isClosed }) else { return nil }
        do {
            return (try self.open(), generation)
        } catch {
            self.couldNotOpen(error, generation: generation)
            return nil
        }
    }

    /// How often something has failed.
    var failures: Int { self.state.withLockedValue { $0.failures } }

    /// A write went well. Where new messages are refused, that does not mean yet that messages are stored.
    ///
    /// - Parameter failures: how often something had failed when it began: what has failed since is newer than its success.
    func succeeded(after failures: Int) {
        guard self.reserve.admitsMessages else { return }
        let hasRecovered = self.state.withLockedValue { state in
            guard state.failures == failures else { return false }
            defer { state.isFailing = false }
            return state.isFailing
        }
        guard hasRecovered else { return }
        self.logger.notice("history is stored again", metadata: self.metadata)
    }

    /// Looks whether the file is where it was opened, and whether there is room again, also while nobody stores anything.
    func look() {
        let hasRoomAgain = self.reserve.tryAgain(now: self.now())
        let (file, generation) = self.current
        guard let file else { return }
        do {
            try file.checkPlaces(now: self.now())
            let failures = self.state.withLockedValue { state in
                state.isFailing && (state.isMissing || state.isFull && hasRoomAgain) ? state.failures : nil
            }
            if let failures { self.succeeded(after: failures) }
        } catch {
            self.failed(error, generation: generation)
        }
    }

    /// A read, a checkpoint or a check failed, on any thread.
    func report(_ error: any Error, generation: Int) {
        self.queue.async { self.failed(error, generation: generation) }
    }

    /// Says so once until the next success; replaces the file if it is corrupt.
    ///
    /// - Returns: whether the disk was full and has room now: what failed can be tried again.
    @discardableResult
    func failed(_ error: any Error, generation: Int) -> Bool {
        if StorageFailure(error) == .corrupt {
            self.replace("\(error)", generation: generation)
            return false
        }
        let hasRoom = self.reserve.givesUp(after: error)
        if StorageFailure(error) == .unsynced { self.leave(generation: generation) }
        let isFirst = self.state.withLockedValue { state in
            defer { state.isFailing = true }
            state.failures += 1
            state.isMissing = error is FilePlace.Lost
            state.isFull = StorageFailure.isDiskFull(error)
            return !state.isFailing
        }
        guard isFirst else { return hasRoom }
        self.logger.error(
            "history cannot be stored; trying again with each message",
            metadata: self.metadata.merging(["error": "\(error)"]) { $1 }
        )
        return hasRoom
    }

    /// A sync has failed: nothing is stored or read before the file is opened anew, which writes its `-wal` again.
    private func leave(generation: Int) {
        self.state.withLockedValue { state in
            guard state.generation == generation, let file = state.file.take() else { return }
            file.syncs?.fail()
            state.left = file
        }
    }

    private func endLeft() throws {
        guard let left = self.state.withLockedValue({ $0.left }) else { return }
        try left.leave()
        self.state.withLockedValue { $0.left = nil }
    }

    /// Moves the corrupt file aside and begins a new one. Logs of the old generation are no more.
    func replace(_ reason: String, generation: Int) {
        let file: HistoryFile?? = self.state.withLockedValue { state in
            guard state.generation == generation else { return nil }  // benign race: several calls met the corruption
            defer { state.file = nil }
            state.generation += 1
            state.corruption = reason
            return .some(state.file)
        }
        guard let file else { return }
        do {
            try self.moveAsideIfCorrupt()
            file?.abandon()
            try self.open()
        } catch {
            self.failed(error, generation: generation + 1)
        }
    }

    /// Looks for damage that nobody has met yet; what it finds of the database is handled like any other corruption.
    ///
    /// - Returns: damaged messages.
    func checkIntegrity() async -> [DamagedMessages] {
        let (file, generation) = self.current
        guard let file, let path = self.location.path else { return [] }
        do {
            let damaged = try await file.checkIntegrity(path: path)
            if damaged.isEmpty { self.logger.info("history file is sound", metadata: self.metadata) }
            return damaged
        } catch {
            await self.checkFailed(error, generation: generation)
            return []
        }
    }

    private func checkFailed(_ error: any Error, generation: Int) async {
        guard StorageFailure(error) == .corrupt else {
            let metadata = self.metadata.merging(["error": "\(error)"]) { $1 }
            self.logger.info("history file was not checked to the end", metadata: metadata)
            return
        }
        await withCheckedContinuation { continuation in
            self.queue.async {
                self.failed(error, generation: generation)
                continuation.resume()
            }
        }
    }

    func close() {
        // It stays as it is where it cannot be closed: the next start writes its `-wal` again.
        try? self.endLeft()
        let file = self.state.withLockedValue { state in
            defer { state.file = nil }
            state.isClosed = true
            return state.file
        }
        do {
            try file?.close()
        } catch {
            self.logger.error(
                "history file was not closed in order",
                metadata: self.metadata.merging(["error": "\(error)"]) { $1 }
            )
        }
    }

    /// Throws only what will not pass by itself.
    private func couldNotStart(_ error: any Error) throws(HistoryStoreError) {
        if StorageFailure(opening: error) == .corrupt {
            self.replace("\(error)", generation: self.generation)
        } else if StorageFailure.mayPass(error) {
            self.couldNotOpen(error, generation: self.generation)
        } else if (error as? PrivateFile.Failure)?.isReadOnly == true, let path = self.location.path {
            self.readOnly(path, because: error)
        } else {
            throw HistoryStoreError(text: "cannot open the history file \(self.location.path ?? ":memory:"): \(error)")
        }
    }

    /// What hinders it may go by: meanwhile, the file of a full disk is read.
    private func couldNotOpen(_ error: any Error, generation: Int) {
        // Other errors may be those of the `-wal`, which is not read before it was written again.
        if (error as? DatabaseError)?.resultCode == .SQLITE_FULL { self.readFull() }
        self.failed(error, generation: generation)
    }

    private func readFull() {
        let (isFirst, hasReader) = self.state.withLockedValue { (!$0.isFailing, $0.readOnly != nil) }
        guard let path = self.location.path, !hasReader else { return }
        do {
            // A new file has nothing to read.
            guard try PrivateFile.size(path) > 0 else { return }
            let reader = try ReadOnlyHistory.open(path, bootID: self.bootID)
            self.state.withLockedValue { $0.readOnly = reader }
        } catch {
            guard isFirst else { return }
            self.logger.error(
                "the history on a full disk cannot be read either",
                metadata: self.metadata.merging(["error": "\(error)"]) { $1 }
            )
        }
    }

    /// Closes what is read: of a file that a process has open read-only, SQLite makes no connection there that writes.
    ///
    /// - Throws: where the disk is read-only or full still.
    private func endReadOnly() throws {
        guard let path = self.location.path, self.state.withLockedValue({ $0.readOnly != nil }) else { return }
        try PrivateFile.create(path)
        guard try DiskSpace.free(at: path) >= Self.bytesToOpen else { throw DatabaseError(resultCode: .SQLITE_FULL) }
        let reader = self.state.withLockedValue { state in
            state.isDiskReadOnly = false
            return state.readOnly.take()
        }
        try reader?.close()
    }

    private func readOnly(_ path: String, because error: any Error) {
        do {
            let reader = try ReadOnlyHistory.open(path)
            self.state.withLockedValue { state in
                state.readOnly = reader
                state.isDiskReadOnly = true
            }
        } catch {
            self.logger.error(
                "the history on a read-only disk cannot be read either",
                metadata: self.metadata.merging(["error": "\(error)"]) { $1 }
            )
        }
        self.failed(error, generation: self.generation)
    }

    @discardableResult
    private func open() throws -> HistoryFile { try self.reserve.makingRoom { try self.tryToOpen() } }

    private func tryToOpen() throws -> HistoryFile {
        try self.endLeft()
        try self.moveAsideIfCorrupt()
        try self.endReadOnly()
        let isGone = self.location.path.map(Self.isGone) ?? false
        let file = try HistoryFile(
            self.location,
            bootID: self.bootID,
            now: self.now(),
            logger: self.logger,
            migration: self.migration
        )
        self.state.withLockedValue { state in
            state.file = file
            if file.begun.lost != .none || isGone { state.mayHaveLost = true }
        }
        if isGone { self.tellMissing() } else { self.tell(file.begun) }
        return file
    }

    /// The file is not there, and what a broker keeps beside it is.
    private static func isGone(_ path: String) -> Bool {
        !FileManager.default.fileExists(atPath: path) && CommitRecordFile.isThere(beside: path)
    }

    private func moveAsideIfCorrupt() throws {
        guard let path = self.location.path, let reason = self.state.withLockedValue({ $0.corruption }) else { return }
        let moved = try CorruptFile.moveAside(path, now: self.now())
        self.state.withLockedValue { state in
            state.corruption = nil
            state.mayHaveLost = true
        }
        self.logger.critical(
            "history file is corrupt: it was moved aside, a new and empty one is begun",
            metadata: self.metadata.merging(["history.moved_to": "\(moved)", "error": "\(reason)"]) { $1 }
        )
    }

    var metadata: Logger.Metadata { ["history.path": "\(self.location.path ?? ":memory:")"] }
}
