import NIOCore
import RoomModel
import RoomWire

/// The WebSocket framer gives out the same events however the bytes are split: those of a slow reading of RFC 6455 that sees
/// all bytes at once. A frame that is written comes out again.
enum WebSocketFuzz: FuzzTarget {
    static let name = "websocket"
    private static let limit = 300

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        var limits = FrameLimits()
        limits.line = self.limit
        for role in [WebSocketRole.server, .client] {
            var reference = WebSocketReference(Array(bytes), isMasked: role == .server, limit: self.limit)
            let expected = reference.read()
            var random = InputRandom(bytes)
            try demand(self.events([bytes.buffer], role, limits) == expected, "in one piece, for the \(role)")
            let pieces = bytes.pieces(using: &random)
            try demand(self.events(pieces, role, limits) == expected, "in \(pieces.count) pieces, for the \(role)")
        }
        try self.checkRoundTrip(bytes)
    }

    private static func events(
        _ pieces: [ByteBuffer],
        _ role: WebSocketRole,
        _ limits: FrameLimits
    ) -> [WebSocketReference.Event] {
        var framer = WebSocketFramer(role: role, limits: limits)
        var events: [WebSocketReference.Event] = []
        for piece in pieces {
            framer.append(piece)
            while let event = framer.next() {
                switch event {
                case .message(let bytes, let isText): events.append(.message(Array(buffer: bytes), isText: isText))
                case .fragment: break
                case .ping(let bytes): events.append(.ping(Array(buffer: bytes)))
                case .pong: events.append(.pong)
                case .close(let close): events.append(.close(close.code, close.reason))
                case .failure(let fault): events.append(.failure(fault.closeCode))
                }
            }
        }
        return events
    }

    private static func checkRoundTrip(_ bytes: UnsafeRawBufferPointer) throws {
        var random = InputRandom(bytes)
        for mask in [WebSocketMask(key: UInt32.random(in: 0...UInt32.max, using: &random)), nil] {
            var frame = ByteBuffer()
            WebSocketFrameWriter.write(.binary, mask: mask, into: &frame) { $0.writeBytes(bytes) }
            if mask == nil {
                let end = WebSocketFrameWriter.end(ofFrameAt: 0, in: frame)
                try demand(end == frame.writerIndex, "the frame ends at \(String(describing: end))")
            }
            let pieces = frame.withUnsafeReadableBytes { $0.pieces(using: &random) }
            let read = self.events(pieces, mask == nil ? .client : .server, FrameLimits())
            try demand(read == [.message(Array(bytes), isText: false)], "a frame of \(bytes.count) bytes")
        }
    }
}
