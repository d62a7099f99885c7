import Foundation

/// Tells one state of a file from another without reading it. A link counts as the file that it leads to.
package struct FileStamp: Equatable, Sendable {
    private let device: UInt64
    private let file: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// `nil` where there is no such file, or where it cannot be seen.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let changed = status.st_mtimespec
        #else
        let changed = status.st_mtim
        #endif
        self.device = UInt64(truncatingIfNeeded: status.st_dev)
        self.file = UInt64(truncatingIfNeeded: status.st_ino)
        self.size = Int64(status.st_size)
        self.seconds = Int(changed.tv_sec)
        self.nanoseconds = Int(changed.tv_nsec)
    }

    /// Whether the other is the same file, with whatever in it.
    func isSameFile(as other: FileStamp) -> Bool { self.device == other.device && self.file == other.file }
}
