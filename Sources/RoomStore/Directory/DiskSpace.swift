import Foundation

/// How much room a disk has.
package enum DiskSpace {
    /// The bytes that this user may still write at `path`.
    package static func free(at path: String) throws -> Int64 {
        let status = try self.status(at: path)
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// The bytes of the whole disk.
    package static func size(at path: String) throws -> Int64 {
        let status = try self.status(at: path)
        return Int64(clamping: UInt64(status.f_blocks) * UInt64(status.f_frsize))
    }

    private static func status(at path: String) throws -> statvfs {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw PrivateFile.Failure(path: path, code: errno) }
        return status
    }
}
