import CZlib
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
        let room = CZlibGzipBound(UInt(bytes.readableBytes))
        return bytes.withUnsafeReadableBytes { bytes in
            var compressed = ByteBufferAllocator().buffer(capacity: Int(room))
            compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: Int(room)) { into in
                Int(CZlibGzip(bytes.baseAddress, UInt(bytes.count), into.baseAddress, room))
            }
            precondition(compressed.readableBytes > 0, "zlib has no memory")
            return compressed
        }
    }
}
