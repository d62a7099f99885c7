import NIOCore
import RoomWire

/// The entries of a room as WebSocket text frames: each has the JSON of a line of the canonical format, without its
/// newline.
enum WebSocketEncoder {
    static func write(_ line: UnsafeRawBufferPointer, into bytes: inout ByteBuffer) {
        guard !line.isEmpty else { return }
        WebSocketFrameWriter.writeHead(.text, payload: line.count - 1, into: &bytes)
        bytes.writeBytes(UnsafeRawBufferPointer(rebasing: line.dropLast()))
    }

    static func frame(ofLine line: ByteBuffer) -> ByteBuffer {
        var frame = ByteBuffer()
        line.withUnsafeReadableBytes { Self.write($0, into: &frame) }
        return frame
    }
}

extension Encoding {
    /// - Parameter canonical: each entry is a line, or nothing.
    init(webSocket canonical: Encoding) {
        // a head takes at most nine bytes more than the newline
        self.init(
            capacity: canonical.bytes.readableBytes + 9 * canonical.count,
            entries: canonical.count
        )
        canonical.bytes.withUnsafeReadableBytes { bytes in
            for entry in 0..<canonical.count {
                let line = UnsafeRawBufferPointer(rebasing: bytes[canonical.range(ofEntry: entry)])
                self.append { WebSocketEncoder.write(line, into: &$0) }
            }
        }
    }
}
