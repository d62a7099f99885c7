import Foundation
import NIOCore

/// A file that is made, written from its beginning to its end, and on the disk when it is closed.
final class NewFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// For this user alone. It must not be there yet.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        self.descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard self.descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        if self.descriptor >= 0 { Foundation.close(self.descriptor) }
    }

    func write(_ piece: ByteBuffer) throws(CommandFailure) {
        var piece = piece
        while piece.readableBytes > 0 {
            let count = piece.withUnsafeReadableBytes { Foundation.write(self.descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                piece.moveReaderIndex(forwardBy: count)
            } else if errno != EINTR {
                throw Self.failure(self.path)
            }
        }
    }

    /// Returns when it is on the disk.
    func close() throws(CommandFailure) {
        guard fsync(self.descriptor) == 0 else { throw Self.failure(self.path) }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(code: .refused, text: "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
