import Foundation
import RoomStore

/// The directory in which a backup is made before it gets its name, with a lock that ends with this process.
///
/// What a command that was killed has left there is taken over, so it blocks nobody and does not pile up.
package final class IncompleteBackup: Sendable {
    package let path: String
    private let descriptor: Int32

    /// - Parameters:
    ///   - path: a directory that there is.
    ///   - directory: the name that it is going to have.
    package init(_ path: String, of directory: String) throws(BackupFolderError) {
        self.path = path
        self.descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard self.descriptor >= 0, fchmod(self.descriptor, 0o700) == 0 else { throw self.failure(errno) }
        guard flock(self.descriptor, LOCK_EX | LOCK_NB) == 0, self.isInPlace else {
            throw BackupFolderError("another command is making \(directory)")
        }
        try self.empty()
    }

    deinit {
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    package func remove() {
        // Where that fails, its name says what it is, and the next backup takes it over.
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// Whether nobody has given it its name since it was opened.
    private var isInPlace: Bool {
        let opened = FileStamp("/dev/fd/\(self.descriptor)")
        return opened != nil && opened == FileStamp(self.path)
    }

    private func empty() throws(BackupFolderError) {
        for name in BackupFolder.allNames {
            guard unlink("\(self.path)/\(name)") == 0 || errno == ENOENT else { throw self.failure(errno) }
        }
        // Where it cannot be read, that is told with the first file.
        let others = (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []
        guard let other = others.first else { return }
        throw BackupFolderError(
            "\(self.path) is where the backup is made, and has a file that is not a backup's: \(other)"
        )
    }

    private func failure(_ code: Int32) -> BackupFolderError {
        BackupFolderError("\(self.path) cannot be used: \(String(cString: strerror(code)))")
    }
}
