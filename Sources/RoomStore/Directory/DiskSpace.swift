import Foundation

/// How much room a disk has.
package enum DiskSpace {
    /// The bytes that this user may still write at `path`.
    package static func free(at path: String) throws -> Int64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw PrivateFile.Failure(path: path, code: errno) }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
