import Dispatch
import Foundation
import Logging
import NIOConcurrencyHelpers

/// Keeps the file with the `CommitRecord` beside a history file that is open. Called on the store's queue.
final class CommitRecordFile: Sendable {
    private static let suffix = "-commits"
    private static let syncInterval = DispatchTimeInterval.seconds(1)

    private struct State {
        var record: CommitRecord
        /// A sync is going to come.
        var isSyncScheduled = false
        var hasFailed = false
        var isClosed = false
    }

    private let path: String
    private let descriptor: Int32
    /// The `-wal`, in whose header the salts are. It has none of SQLite's locks, which closing this would end.
    private let wal: Int32
    private let logger: Logger
    private let state: NIOLockedValueBox<State>
    private let queue = DispatchQueue(label: "roomline.history.commits")

    /// What there is beside a history file.
    enum Content: Equatable {
        /// None, or one that a power cut took before its first bytes were on the disk.
        case absent
        /// Bytes that are no record, or none that can be read.
        case damaged
        case record(CommitRecord)
    }

    /// Reads the record of the history file at `path`.
    static func read(beside path: String) -> Content {
        let path = path + self.suffix
        // what lies behind the record is never written, and says nothing
        guard let bytes = FileManager.default.contents(atPath: path)?.prefix(CommitRecord.length) else {
            return FileManager.default.fileExists(atPath: path) ? .damaged : .absent
        }
        if let record = bytes.withUnsafeBytes({ CommitRecord($0) }) { return .record(record) }
        return bytes.allSatisfy { $0 == 0 } ? .absent : .damaged
    }

    static func isThere(beside path: String) -> Bool { access(path + self.suffix, F_OK) == 0 }

    /// Writes that the history is in use from now on, and syncs that.
    static func begin(_ record: CommitRecord, beside path: String) throws(PrivateFile.Failure) {
        let descriptor = try PrivateFile.open(path + self.suffix)
        defer { Foundation.close(descriptor) }
        guard self.write(record, descriptor) else { throw PrivateFile.Failure(path: path + self.suffix, code: errno) }
        try PrivateFile.sync(path + self.suffix)
        try PrivateFile.syncDirectory(URL(filePath: path).deletingLastPathComponent().path)
    }

    /// - Parameter path: of the history file, which is in use: it has a `-wal`.
    init(_ record: CommitRecord, beside path: String, logger: Logger) throws(PrivateFile.Failure) {
        let wal = Foundation.open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard wal >= 0 else { throw PrivateFile.Failure(path: path + "-wal", code: errno) }
        do throws(PrivateFile.Failure) {
            self.descriptor = try PrivateFile.open(path + Self.suffix)
        } catch {
            Foundation.close(wal)
            throw error
        }
        self.path = path + Self.suffix
        self.wal = wal
        self.logger = logger
        self.state = NIOLockedValueBox(State(record: record))
    }

    deinit {
        Foundation.close(self.descriptor)
        Foundation.close(self.wal)
    }

    /// Notes a transaction that ends with this frame of the `-wal`, before anybody hears of it.
    func committed(through frames: UInt32) -> CommitPlace {
        guard let salts = self.salts() else {
            self.failed()
            return self.state.withLockedValue { $0.record.place }
        }
        return self.change { $0.commit(through: frames, of: salts) }
    }

    /// Notes that everything through this place is on the disk, before anybody hears of it. The note itself is there about a
    /// second later.
    func synced(_ place: CommitPlace) {
        _ = self.change { $0.sync(place) }
        let syncs = self.state.withLockedValue { state in
            defer { state.isSyncScheduled = true }
            return !state.isSyncScheduled
        }
        guard syncs else { return }
        self.queue.asyncAfter(deadline: .now() + Self.syncInterval) { [weak self] in self?.syncIfInUse() }
    }

    private func change(_ change: (inout CommitRecord) -> Void) -> CommitPlace {
        let (place, isWritten) = self.state.withLockedValue { state in
            change(&state.record)
            return (state.record.place, Self.write(state.record, self.descriptor))
        }
        if !isWritten { self.failed() }
        return place
    }

    /// Waits until the record is on the disk.
    func sync() throws(PrivateFile.Failure) {
        guard fsync(self.descriptor) == 0 else { throw PrivateFile.Failure(path: self.path, code: errno) }
    }

    /// Waits until what was written to the `-wal` is on the disk; any thread. Returns whether it is.
    func syncWAL() -> Bool { PrivateFile.flush(self.wal) }

    /// Notes, synced, that everything is stored and the history closed.
    func close() throws(PrivateFile.Failure) {
        let isWritten = self.state.withLockedValue { state in
            state.isClosed = true
            state.record.isClosed = true
            return Self.write(state.record, self.descriptor)
        }
        guard isWritten else { throw PrivateFile.Failure(path: self.path, code: errno) }
        try self.sync()
    }

    private func syncIfInUse() {
        let isClosed = self.state.withLockedValue { state in
            state.isSyncScheduled = false
            return state.isClosed
        }
        if !isClosed, fsync(self.descriptor) != 0 { self.failed() }
    }

    /// Commits go on: with an older record, the next start notices less.
    private func failed() {
        let code = errno
        let isFirst = self.state.withLockedValue { state in
            defer { state.hasFailed = true }
            return !state.hasFailed
        }
        guard isFirst else { return }
        self.logger.error(
            "how far the history is committed cannot be noted: a damaged -wal may not be noticed",
            metadata: ["error.number": "\(code)"]
        )
    }

    private func salts() -> WriteAheadLog.Salts? {
        withUnsafeTemporaryAllocation(byteCount: WriteAheadLog.Salts.length, alignment: 8) { bytes in
            guard pread(self.wal, bytes.baseAddress, bytes.count, WriteAheadLog.Salts.offset) == bytes.count else {
                return nil
            }
            return WriteAheadLog.Salts(UnsafeRawBufferPointer(bytes))
        }
    }

    private static func write(_ record: CommitRecord, _ descriptor: Int32) -> Bool {
        record.withBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) == $0.count }
    }
}
