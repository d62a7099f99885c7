import Foundation

/// What `DiskReserve` does with the disk, for tests without one.
package struct ReservedDisk: Sendable {
    package struct File: Equatable, Sendable {
        package var length: Int64
        /// The bytes that it takes on the disk.
        package var allocated: Int64
    }

    /// `nil` where there is none.
    var file: @Sendable () -> File?
    /// Makes the file so long, with all of its bytes on the disk; leaves it as it was where that fails.
    var fill: @Sendable (_ bytes: Int64) throws -> Void
    var empty: @Sendable () throws -> Void
    /// The bytes that are free, and those of the whole disk.
    var space: @Sendable () throws -> (free: Int64, size: Int64)
}

extension ReservedDisk {
    init(directory: String) {
        let path = "\(directory)/\(DiskReserve.fileName)"
        self.file = { Self.file(in: directory) }
        self.fill = { try Self.fill(path, $0) }
        self.empty = { try Self.empty(path) }
        self.space = { (try DiskSpace.free(at: directory), try DiskSpace.size(at: directory)) }
    }

    /// `nil` where there is none.
    package static func file(in directory: String) -> File? {
        var status = stat()
        guard stat("\(directory)/\(DiskReserve.fileName)", &status) == 0 else { return nil }
        return File(length: Int64(status.st_size), allocated: Int64(status.st_blocks) * 512)
    }

    private static func fill(_ path: String, _ bytes: Int64) throws(PrivateFile.Failure) {
        let isNew = access(path, F_OK) != 0
        let descriptor = try PrivateFile.open(path)
        defer { close(descriptor) }
        let length = lseek(descriptor, 0, SEEK_END)
        let code = self.allocate(descriptor, bytes)
        guard code != 0 else { return }
        if isNew { unlink(path) } else if length >= 0 { ftruncate(descriptor, length) }
        throw PrivateFile.Failure(path: path, code: code)
    }

    /// The blocks are free when this returns. A file that somebody has removed is as good as an empty one, but for a restart.
    private static func empty(_ path: String) throws(PrivateFile.Failure) {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw PrivateFile.Failure(path: path, code: errno)
        }
        defer { close(descriptor) }
        guard PrivateFile.flush(descriptor) else { throw PrivateFile.Failure(path: path, code: errno) }
    }

    /// 0, or what the system says.
    private static func allocate(_ descriptor: Int32, _ bytes: Int64) -> Int32 {
        #if canImport(Darwin)
        self.writeZeroes(descriptor, bytes)
        #else
        let code = posix_fallocate(descriptor, 0, off_t(bytes))
        // not every file system can
        return [EOPNOTSUPP, ENOSYS, EINVAL].contains(code) ? self.writeZeroes(descriptor, bytes) : code
        #endif
    }

    private static func writeZeroes(_ descriptor: Int32, _ bytes: Int64) -> Int32 {
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while offset < bytes {
            let count = pwrite(descriptor, piece, Int(min(bytes - offset, Int64(piece.count))), off_t(offset))
            if count > 0 {
                offset += Int64(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
