import Foundation
import RoomModel
import RoomStore

/// A backup as it lies on a disk: a directory with a manifest and the files that it names.
package struct BackupFolder: Sendable {
    /// The contents of a backup that was found to be sound.
    package struct Contents: Equatable, Sendable {
        package let manifest: BackupManifest
        package let channels: Int
        package let rooms: Int
        package let messages: Int
        package let auditEntries: Int
    }

    /// All that a backup has, and no more, beside its manifest.
    package static let fileNames = BackupStore.names
    static let allNames = fileNames + [BackupManifest.name]
    /// What SQLite makes beside a database that is open. It would be read with the database, and no checksum covers it.
    private static let companions = [BackupStore.historyName, BackupStore.controlName]
        .flatMap { name in ["-wal", "-shm", "-journal"].map { name + $0 } }

    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Reads all of it: the checksums, and the databases from end to end.
    ///
    /// - Throws: where anything is missing, changed, damaged, not made by Roomline, or of a newer one.
    package func check() throws(BackupFolderError) -> Contents {
        let manifest = try BackupManifest.read(self.path)
        for name in Self.fileNames {
            guard let file = manifest.files.first(where: { $0.name == name }) else {
                throw BackupFolderError("the manifest of \(self.path) does not name \(name): it is incomplete")
            }
            try self.check(file)
        }
        if let companion = Self.companions.first(where: { FileStatus("\(self.path)/\($0)") != nil }) {
            throw BackupFolderError(
                "\(self.path)/\(companion) belongs to no backup: somebody has opened the copy; take another one"
            )
        }
        do throws(StoredFileError) {
            let history = try StoredFile.history("\(self.path)/\(BackupStore.historyName)", isOfBackup: true)
            let control = try StoredFile.control("\(self.path)/\(BackupStore.controlName)", isOfBackup: true)
            return Contents(
                manifest: manifest,
                channels: control.channels,
                rooms: history.rooms,
                messages: history.messages,
                auditEntries: control.auditEntries
            )
        } catch {
            throw BackupFolderError(error.text)
        }
    }

    /// Gives the directory another name, which it has for good when this returns.
    package func move(to path: String) throws(BackupFolderError) {
        guard rename(self.path, path) == 0 else {
            throw BackupFolderError("\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        do throws(PrivateFile.Failure) {
            try PrivateFile.syncDirectory(URL(filePath: path).deletingLastPathComponent().path)
        } catch {
            throw BackupFolderError("\(path) is complete, but may be lost in a power cut: \(error)")
        }
    }

    private func check(_ file: BackupFile) throws(BackupFolderError) {
        let path = "\(self.path)/\(file.name)"
        let found: (sha256: String, bytes: Int64)
        do {
            found = try FileDigest.of(path)
        } catch {
            throw BackupFolderError(reading: path, error)
        }
        guard found.bytes == file.bytes else {
            throw BackupFolderError(
                "\(path) has \(found.bytes) bytes, and \(file.bytes) by its manifest: take another copy"
            )
        }
        guard found.sha256 == file.sha256 else {
            throw BackupFolderError("\(path) was changed: its checksum is not that of its manifest; take another copy")
        }
    }
}

/// Why a backup is of no use. The text says what is wrong with which file.
package struct BackupFolderError: Error, Equatable, Sendable {
    package let text: String

    init(_ text: String) {
        self.text = text
    }

    /// - Parameter error: what came of an attempt to read it.
    init(reading path: String, _ error: any Error) {
        switch error {
        case let error as PrivateFile.Failure where error.isMissing: self.init("\(path) is missing")
        case let error as RegularFile.Refusal:
            self.init("\(error): a backup has regular files only, so copy what \"roomline backup\" has made")
        default: self.init("cannot read \(error)")
        }
    }
}
