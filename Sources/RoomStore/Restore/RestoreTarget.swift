import Foundation
import GRDB
import Glibc

/// A data directory into which a backup is put: taken for this process as a broker takes it.
///
/// The new files are made complete beside the old ones first. Then the old ones are moved aside and the new ones get their
/// names; should that be cut short, the broker does not start on what is there (`DataDirectory`).
package final class RestoreTarget {
    private static let staging = "restore.unfinished"
    private static let companions = ["", "-wal", "-shm", "-journal"]
    /// All that a broker keeps, but for its lock and its socket.
    private static let names =
        [BackupStore.historyName, BackupStore.controlName, BackupStore.controlName + ".backup"]
        .flatMap { name in RestoreTarget.companions.map { name + $0 } } + [BackupStore.clockName]

    private let path: String
    private let lock: DirectoryLock
    private var stagingPath: String { "\(self.path)/\(Self.staging)" }

    /// Whether a restore into this directory was cut short.
    package static func isUnfinished(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(Self.staging)")
    }

    /// What a broker has in this directory; changes nothing.
    package static func existing(_ path: String) -> [String] {
        self.names.filter { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
    }

    /// - Throws: where a broker has the directory, or it cannot be known; takes nothing.
    package static func checkUnused(_ path: String) throws(DataDirectoryError) {
        switch DataDirectory.use(of: path) {
        case .nobody: return
        case .process(let id): throw DataDirectoryError(inUse: path, by: id)
        case .notKnown:
            throw DataDirectoryError(
                text:
                    "whether a broker uses the data directory \(path) cannot be seen: restore as the user that it belongs to"
            )
        }
    }

    /// Creates the directory if there is none (0700).
    ///
    /// - Throws: `DataDirectoryError` where a broker has it, or it cannot be used.
    package init(_ path: String) throws(DataDirectoryError) {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            self.lock = try DirectoryLock(path: path + "/lock")
            try self.giveToOwner("lock")
        } catch let error as DirectoryLock.Taken {
            throw DataDirectoryError(inUse: path, by: error.processID)
        } catch {
            throw DataDirectoryError(text: "cannot use the data directory \(path): \(error)")
        }
    }

    package func close() {
        self.lock.release()
    }

    /// Makes the new files, beside those that are there. Throws where that fails: then nothing is changed.
    ///
    /// - Parameters:
    ///   - folder: where the files of the backup are.
    ///   - digests: what they have to be.
    package func stage(from folder: String, digests: [String: String]) throws {
        do {
            try self.removeStaged()
            try FileManager.default.createDirectory(
                atPath: self.stagingPath,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            for name in BackupStore.names { try self.copy(name, from: folder, digest: digests[name]) }
            try RestoredHistory.prepare(self.staged(BackupStore.historyName))
            try self.raiseClock()
            for name in BackupStore.names {
                try PrivateFile.sync(self.staged(name))
                try self.giveToOwner("\(Self.staging)/\(name)")
            }
            try PrivateFile.syncDirectory(self.stagingPath)
        } catch {
            try? self.removeStaged()  // the first error is the one to tell
            throw error
        }
    }

    /// Moves what is there aside. Returns where to, relative to the directory; `nil` where there was nothing.
    package func moveAside(now: Int64) throws -> String? {
        let existing = Self.existing(self.path)
        guard !existing.isEmpty else { return nil }
        let aside = self.unusedName(now: now)
        try FileManager.default.createDirectory(
            atPath: "\(self.path)/\(aside)",
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        try self.giveToOwner(aside)
        for name in existing { try self.move(name, to: "\(aside)/\(name)") }
        try PrivateFile.syncDirectory(self.path)
        return aside
    }

    /// Gives the new files their names.
    package func finish() throws {
        for name in BackupStore.names { try self.move("\(Self.staging)/\(name)", to: name) }
        try PrivateFile.syncDirectory(self.path)
        try self.removeStaged()
        try PrivateFile.syncDirectory(self.path)
    }

    private func staged(_ name: String) -> String { "\(self.stagingPath)/\(name)" }

    private func copy(_ name: String, from folder: String, digest: String?) throws {
        let target = self.staged(name)
        try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: target)
        try PrivateFile.create(target)
        guard try FileDigest.of(target).sha256 == digest else {
            throw BackupFailure("\(folder)/\(name) is not what its manifest says, or was changed while it was copied")
        }
    }

    /// Above all ids that this directory or the backup has given.
    private func raiseClock() throws {
        let clock = self.staged(BackupStore.clockName)
        let earlier = "\(self.path)/\(BackupStore.clockName)"
        // One that cannot be read says nothing.
        let old = FileManager.default.fileExists(atPath: earlier) ? (try? ClockFile.read(earlier)) ?? nil : nil
        let newest = try StoredFile.history(self.staged(BackupStore.historyName)).newest
        let floor = [try ClockFile.read(clock), old, newest].compactMap(\.self).max() ?? 0
        try ClockFile.write(floor, to: clock)
    }

    private func move(_ name: String, to other: String) throws {
        guard rename("\(self.path)/\(name)", "\(self.path)/\(other)") == 0 else {
            throw PrivateFile.Failure(path: "\(self.path)/\(name)", code: errno)
        }
    }

    private func removeStaged() throws {
        guard FileManager.default.fileExists(atPath: self.stagingPath) else { return }
        try FileManager.default.removeItem(atPath: self.stagingPath)
    }

    /// Root restores for the user that the directory belongs to.
    private func giveToOwner(_ name: String) throws {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard stat(self.path, &status) == 0, chown("\(self.path)/\(name)", status.st_uid, status.st_gid) == 0 else {
            throw PrivateFile.Failure(path: "\(self.path)/\(name)", code: errno)
        }
    }

    private func unusedName(now: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(now) / 1_000)
        let name = "replaced-\(date.formatted(.iso8601.timeSeparator(.omitted)))"
        var number = 1
        var unused = name
        while FileManager.default.fileExists(atPath: "\(self.path)/\(unused)") {
            number += 1
            unused = "\(name)-\(number)"
        }
        return unused
    }
}
