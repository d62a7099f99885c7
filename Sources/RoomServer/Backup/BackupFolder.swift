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
    package static let allNames = fileNames + [BackupManifest.name]

    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Reads all of it: the checksums, and the databases from end to end.
    ///
    /// - Throws: where anything is missing, changed, damaged, or of a newer Roomline.
    package func check() throws(BackupFolderError) -> Contents {
        let manifest = try BackupManifest.read(self.path)
        for name in Self.fileNames {
            guard let file = manifest.files.first(where: { $0.name == name }) else {
                throw BackupFolderError("the manifest of \(self.path) does not name \(name): it is incomplete")
            }
            try self.check(file)
        }
        do throws(StoredFileError) {
            let history = try StoredFile.history("\(self.path)/\(BackupStore.historyName)")
            let control = try StoredFile.control("\(self.path)/\(BackupStore.controlName)")
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
        guard FileManager.default.fileExists(atPath: path) else { throw BackupFolderError("\(path) is missing") }
        let found: (sha256: String, bytes: Int64)
        do {
            found = try FileDigest.of(path)
        } catch {
            throw BackupFolderError("cannot read \(error)")
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
}
