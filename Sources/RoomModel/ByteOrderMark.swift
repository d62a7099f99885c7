package import NIOCore

/// The byte order mark that some programs put before text in UTF-8.
///
/// One rule for all text that comes in (docs/protocol.md, "JSON, exactly"): at its very start one mark is skipped, and nothing is
/// said about it. A text is a file, standard input, an environment variable with a token, the body of an HTTP request, a message of a
/// WebSocket, or all that comes over a TCP connection.
package enum ByteOrderMark {
    package static let bytes: [UInt8] = [0xef, 0xbb, 0xbf]
}

extension Collection<UInt8> {
    package var withoutByteOrderMark: SubSequence {
        self.dropFirst(self.starts(with: ByteOrderMark.bytes) ? ByteOrderMark.bytes.count : 0)
    }
}

extension ByteBuffer {
    package var withoutByteOrderMark: ByteBuffer {
        var buffer = self
        let hasMark = self.withUnsafeReadableBytes { $0.count >= 3 && $0[0] == 0xef && $0[1] == 0xbb && $0[2] == 0xbf }
        if hasMark { buffer.moveReaderIndex(forwardBy: 3) }
        return buffer
    }
}
