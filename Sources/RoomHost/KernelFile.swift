import Foundation

/// A file that the kernel writes while it is read, such as those of `/proc` and `/sys`.
package enum KernelFile {
    /// Reads a file to its end. Foundation does not: such a file has a size of 0, and Foundation takes its first piece for all of it.
    ///
    /// - Returns: `nil` where it cannot be read.
    package static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0 {
                guard errno == EINTR else { return nil }
            } else if count == 0 {
                return String(decoding: bytes, as: UTF8.self)
            } else {
                bytes += piece[..<count]
            }
        }
    }
}
