import Dispatch
import Foundation
import NIOCore
import RoomCore

/// Reads a file of a backup in pieces, on a queue of its own.
final class BackupReader: BackupReading {
    private static let pieceLength = 256 * 1024

    let bytes: Int64
    private let path: String
    private let descriptor: Int32
    private let closed: @Sendable () -> Void
    private let queue = DispatchQueue(label: "roomline.backup.read", qos: .utility)

    /// - Parameter closed: is called when nobody reads any more.
    init(path: String, closed: @escaping @Sendable () -> Void) throws(PrivateFile.Failure) {
        self.bytes = try PrivateFile.size(path)
        self.path = path
        self.descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        self.closed = closed
        guard self.descriptor >= 0 else { throw PrivateFile.Failure(path: path, code: errno) }
    }

    deinit {
        guard self.descriptor >= 0 else { return }
        Foundation.close(self.descriptor)
        self.closed()
    }

    func next() async throws(BackupError) -> ByteBuffer? {
        let result: Result<ByteBuffer?, BackupError> = await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume(returning: self.read()) }
        }
        return try result.get()
    }

    private func read() -> Result<ByteBuffer?, BackupError> {
        var buffer = ByteBuffer()
        var code: Int32 = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceLength) { bytes in
            let count = Foundation.read(self.descriptor, bytes.baseAddress, Self.pieceLength)
            if count < 0 { code = errno }
            return max(0, count)
        }
        guard code == 0 else {
            return .failure(.failed("\(PrivateFile.Failure(path: self.path, code: code))"))
        }
        return .success(buffer.readableBytes == 0 ? nil : buffer)
    }
}
