import Foundation
import GRDB

/// A data directory into which a backup is put: taken for this process as a broker takes it.
///
/// The new files are made complete beside the old ones first: until then nothing is changed. Then the old ones are moved
/// aside and the new ones get their names; should that be cut short, the broker does not start on what is there
/// (`DataDirectory`), which a mark says that is set before the first is moved and goes when the last has its name.
package final class RestoreTarget {
    private static let staging = "restore.staged"
    private static let mark = "restore.unfinished"
    private static let replaced = "replaced-"
    private static let companions = ["", "-wal", "-shm", "-journal", "-commits"]
    /// All that a broker keeps. Its lock and its socket are none of that, nor is its `DiskReserve`, which stays where it is.
    private static let names =
        [BackupStore.historyName, BackupStore.controlName, BackupStore.controlName + ".backup"]
        .flatMap { name in RestoreTarget.companions.map { name + $0 } } + [BackupStore.clockName]

    private let path: String
    private let lock: DirectoryLock
    private var stagingPath: String { "\(self.path)/\(Self.staging)" }

    /// Whether a restore into this directory was cut short.
    package static func isUnfinished(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(Self.mark)")
    }

    /// The names of the broker's files in this directory; changes nothing.
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
                    "it is unknown whether a broker uses the data directory \(path): run the restore as the user who owns it"
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
            throw DataDirectoryError(unusable: path, error)
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
    ///   - leavesCluster: they are a node's, and become those of a broker that runs alone.
    package func stage(from folder: String, digests: [String: String], leavesCluster: Bool = false) throws {
        do {
            // Read first: what an earlier restore has staged goes with the next line.
            let floor = self.clockFloor()
            try self.removeStaged()
            try FileManager.default.createDirectory(
                atPath: self.stagingPath,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try self.giveToOwner(Self.staging)
            for name in BackupStore.names { try self.copy(name, from: folder, digest: digests[name]) }
            // Where the backup lies, another file may have taken the place of the one that was checked.
            try StoredSchema.history.check(file: self.staged(BackupStore.historyName))
            try StoredSchema.control.check(file: self.staged(BackupStore.controlName))
            try RestoredHistory.prepare(self.staged(BackupStore.historyName), leavesCluster: leavesCluster)
            if leavesCluster { try ControlStore.leaveCluster(self.staged(BackupStore.controlName)) }
            try self.raiseClock(above: floor)
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

    /// From now on no broker starts here before `finish`. Moves what is there aside. Returns where to, relative to the
    /// directory; `nil` where there was nothing.
    package func moveAside(now: Int64) throws -> String? {
        let existing = Self.existing(self.path)
        let aside = existing.isEmpty ? nil : try self.makeAside(now: now)
        try self.setMark()
        guard let aside else { return nil }
        for name in existing { try self.move(name, to: "\(aside)/\(name)") }
        try PrivateFile.syncDirectory("\(self.path)/\(aside)")
        try PrivateFile.syncDirectory(self.path)
        return aside
    }

    private func makeAside(now: Int64) throws -> String {
        let aside = self.unusedName(now: now)
        try FileManager.default.createDirectory(
            atPath: "\(self.path)/\(aside)",
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        try self.giveToOwner(aside)
        return aside
    }

    /// One that an earlier restore has left stays: what is there is not whole before this one is complete.
    private func setMark() throws {
        guard !Self.isUnfinished(self.path) else { return }
        try PrivateFile.create("\(self.path)/\(Self.mark)")
        try self.giveToOwner(Self.mark)
        try PrivateFile.syncDirectory(self.path)
    }

    /// Gives the new files their names.
    package func finish() throws {
        for name in BackupStore.names { try self.move("\(Self.staging)/\(name)", to: name) }
        try PrivateFile.syncDirectory(self.path)
        try self.removeStaged()
        try FileManager.default.removeItem(atPath: "\(self.path)/\(Self.mark)")
        try PrivateFile.syncDirectory(self.path)
    }

    private func staged(_ name: String) -> String { "\(self.stagingPath)/\(name)" }

    private func copy(_ name: String, from folder: String, digest: String?) throws {
        let target = self.staged(name)
        try PrivateFile.copy("\(folder)/\(name)", to: target)
        guard try FileDigest.of(target).sha256 == digest else {
            throw BackupFailure("\(folder)/\(name) is not what its manifest says, or was changed while it was copied")
        }
    }

    /// Above all ids that this directory has given. After a restore that was cut short, that is known where it has put the
    /// files.
    private func clockFloor() -> Int64 {
        var folders = [self.path]
        if Self.isUnfinished(self.path) {
            // Where the directory cannot be read, no file of it can be moved either.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []
            folders += [self.stagingPath] + names.filter { $0.hasPrefix(Self.replaced) }.map { "\(self.path)/\($0)" }
        }
        return folders.compactMap { StoredFile.clock("\($0)/\(BackupStore.clockName)") }.max() ?? 0
    }

    /// Above all ids that the backup has given, too.
    private func raiseClock(above floor: Int64) throws {
        let clock = self.staged(BackupStore.clockName)
        let newest = try StoredFile.history(self.staged(BackupStore.historyName)).newest
        try ClockFile.write([try ClockFile.read(clock), newest, floor].compactMap(\.self).max() ?? floor, to: clock)
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
        let name = "\(Self.replaced)\(date.formatted(.iso8601.timeSeparator(.omitted)))"
        var number = 1
        var unused = name
        while FileManager.default.fileExists(atPath: "\(self.path)/\(unused)") {
            number += 1
            unused = "\(name)-\(number)"
        }
        return unused
    }
}
