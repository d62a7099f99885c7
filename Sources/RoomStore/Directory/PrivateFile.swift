import Foundation

/// Files that only the broker's own user may read. Foundation brings the system's calls: Glibc's, Musl's or Darwin's.
package enum PrivateFile {
    /// A system call failed.
    package struct Failure: Error, CustomStringConvertible {
        let path: String
        let code: Int32

        package var isMissing: Bool { self.code == ENOENT }

        /// Nothing can be written where the file is.
        var isReadOnly: Bool { self.code == EROFS }

        package var description: String { "\(self.path): \(String(cString: strerror(self.code)))" }
    }

    /// Creates the file with mode 0600 if there is none, and takes others' permissions away if there is one.
    static func create(_ path: String) throws(Failure) {
        Foundation.close(try self.open(path))
    }

    /// Opens the file to read and write, creates it if there is none, and makes it private. The caller closes it.
    static func open(_ path: String) throws(Failure) -> Int32 {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        guard fchmod(descriptor, 0o600) == 0 else {
            let code = errno
            Foundation.close(descriptor)
            throw Failure(path: path, code: code)
        }
        return descriptor
    }

    /// Whether nothing can be written on the disk of this file or directory.
    static func isReadOnly(_ path: String) -> Bool { access(path, W_OK) != 0 && errno == EROFS }

    /// Writes the bytes of a regular file, whatever its permissions, into another one, which must not be there.
    static func copy(_ source: String, to target: String) throws {
        let from = try RegularFile.open(source)
        defer { Foundation.close(from) }
        let to = Foundation.open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw Failure(path: target, code: errno) }
        defer { Foundation.close(to) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = Foundation.read(from, piece.baseAddress, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(path: source, code: errno)
            }
            if count == 0 { return }
            try self.write(UnsafeRawBufferPointer(rebasing: piece[..<count]), to: to, target)
        }
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: Int32,
        _ path: String
    ) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno != EINTR {
                throw Failure(path: path, code: errno)
            }
        }
    }

    static func size(_ path: String) throws(Failure) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Failure(path: path, code: errno) }
        return Int64(status.st_size)
    }

    /// Lets `write` fill an empty file beside `path`, syncs it and gives it the name: whoever opens `path` finds the
    /// old file or the whole new one, also after a power cut.
    static func replace(_ path: String, write: (_ temporary: String) throws -> Void) throws {
        let temporary = path + ".new"
        if FileManager.default.fileExists(atPath: temporary) {  // left by a start that was cut short
            try FileManager.default.removeItem(atPath: temporary)
        }
        try Self.create(temporary)
        try write(temporary)
        try Self.sync(temporary)
        guard rename(temporary, path) == 0 else { throw Failure(path: path, code: errno) }
        try Self.syncDirectory(URL(filePath: path).deletingLastPathComponent().path)
    }

    /// Returns when the file is on the disk.
    package static func sync(_ path: String) throws(Failure) { try self.sync(path, O_RDWR) }

    /// Returns when the names in a directory are on the disk.
    package static func syncDirectory(_ path: String) throws(Failure) { try self.sync(path, O_RDONLY | O_DIRECTORY) }

    private static func sync(_ path: String, _ flags: Int32) throws(Failure) {
        let descriptor = Foundation.open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { Foundation.close(descriptor) }
        guard self.flush(descriptor) else { throw Failure(path: path, code: errno) }
    }

    /// Returns when what was written to the file is on the disk, or false.
    static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        // Darwin's fsync(2) does not wait for the cache of the disk; not every file system has the call that does.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }
}
