import Glibc

/// Files that only the broker's own user may read.
enum PrivateFile {
    /// The file could not be made private.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let code: Int32

        var description: String { "\(self.path): \(String(cString: strerror(self.code)))" }
    }

    /// Creates the file with mode 0600 if there is none, and takes others' permissions away if there is one.
    static func create(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { Glibc.close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw Failure(path: path, code: errno) }
    }
}
