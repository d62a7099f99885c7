import NIOConcurrencyHelpers
import NIOCore

/// The files of the pages as gzip. Each is compressed once, when it is first asked for, beside the event loops.
final class CompressedPages: Sendable {
    private let known = NIOLockedValueBox<[String: ByteBuffer]>([:])

    func bytes(of file: PageFile) async -> ByteBuffer {
        if let bytes = self.known.withLockedValue({ $0[file.name] }) { return bytes }
        let bytes = await Self.compress(file.bytes)
        self.known.withLockedValue { $0[file.name] = bytes }
        return bytes
    }

    @concurrent private static func compress(_ bytes: ByteBuffer) async -> ByteBuffer {
        ByteBuffer(bytes: Gzip.compress(Array(bytes.readableBytesView)))
    }
}
