package import Foundation

/// Files that others have made. A link is not followed, nothing is waited for, and what is not a regular file is not read: a FIFO would
/// hold up whoever reads it, and a device need not end.
package enum RegularFile {
    /// What has the name is something else.
    package struct Refusal: Error, CustomStringConvertible {
        let path: String
        let kind: String

        package var description: String { "\(self.path) is \(self.kind), no regular file" }
    }

    /// Opens the file to read. The caller closes it.
    ///
    /// - Throws: `Refusal`, or `PrivateFile.Failure`.
    static func open(_ path: String) throws -> Int32 {
        // O_NONBLOCK means nothing to a regular file.
        let descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            // Links and sockets cannot be opened so.
            var status = stat()
            if lstat(path, &status) == 0, let kind = self.otherKind(status) { throw Refusal(path: path, kind: kind) }
            throw PrivateFile.Failure(path: path, code: code)
        }
        do {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw PrivateFile.Failure(path: path, code: errno) }
            if let kind = self.otherKind(status) { throw Refusal(path: path, kind: kind) }
            return descriptor
        } catch {
            Foundation.close(descriptor)
            throw error
        }
    }

    /// The bytes of the file, but no more than `most`.
    package static func read(_ path: String, atMost most: Int) throws -> Data {
        let file = FileHandle(fileDescriptor: try self.open(path), closeOnDealloc: true)
        return try file.read(upToCount: most) ?? Data()
    }

    /// `nil` for a regular file.
    private static func otherKind(_ status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFLNK: "a symbolic link"
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}
