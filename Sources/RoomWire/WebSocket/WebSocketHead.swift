/// The type of a WebSocket frame (RFC 6455 §5.2).
package enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { self.rawValue >= 8 }
}

/// Which side of a WebSocket this is: a client masks what it sends, a server must not.
package enum WebSocketRole: Sendable {
    case server
    case client
}

/// Why a WebSocket is ended: the other side broke a rule of RFC 6455.
package struct WebSocketFault: Equatable, Sendable {
    /// For the Close frame that answers it.
    package let closeCode: UInt16
    package let text: String

    static func rule(_ text: String) -> WebSocketFault { WebSocketFault(closeCode: 1002, text: text) }

    static let utf8 = WebSocketFault(closeCode: 1007, text: "a text message has to be UTF-8")

    static func tooLarge(limit: Int) -> WebSocketFault {
        WebSocketFault(closeCode: 1009, text: "the message is longer than \(limit) bytes")
    }
}

/// The head of a WebSocket frame, as it was read.
///
///      0               1               2               3
///     +-+-+-+-+-------+-+-------------+-------------------------------+
///     |F|R|R|R| opcode|M| length (7)  | length, if 126 (16) or 127    |
///     |I|S|S|S|  (4)  |A|             | (64 bits); then the mask (32) |
///     |N|V|V|V|       |S|             |                               |
///     +-+-+-+-+-------+-+-------------+-------------------------------+
struct WebSocketHead: Equatable {
    let isFinal: Bool
    let opcode: WebSocketOpcode
    /// The bytes of the head.
    let size: Int
    /// The bytes of the payload.
    let length: Int
    let mask: WebSocketMask?

    enum Reading: Equatable {
        case head(WebSocketHead)
        case incomplete
        case fault(WebSocketFault)
    }

    /// Control frames are no longer than this.
    static let controlLimit = 125

    /// The longest head: two bytes, eight of a length, four of a mask.
    static let sizeLimit = 14

    /// Reads the head of a frame that was sent to a peer of the role. A fault is told before the rest has come.
    static func read(_ bytes: UnsafeRawBufferPointer, by role: WebSocketRole) -> Reading {
        guard bytes.count >= 2 else { return .incomplete }
        let (first, second) = (bytes[0], bytes[1])
        if first & 0x70 != 0 {
            return .fault(.rule("a reserved bit is set, and no extension was agreed"))
        }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0f) else {
            return .fault(.rule("there is no opcode \(first & 0x0f)"))
        }
        let (isFinal, isMasked, short) = (first & 0x80 != 0, second & 0x80 != 0, Int(second & 0x7f))
        if isMasked != (role == .server) {
            return .fault(.rule(isMasked ? "a server must not mask its frames" : "a client has to mask its frames"))
        }
        if opcode.isControl, !isFinal { return .fault(.rule("a control frame must not be fragmented")) }
        if opcode.isControl, short > Self.controlLimit {
            return .fault(.rule("a control frame must not have more than \(Self.controlLimit) bytes"))
        }
        let lengthSize = short < 126 ? 0 : short == 126 ? 2 : 8
        let size = 2 + lengthSize + (isMasked ? 4 : 0)
        guard bytes.count >= 2 + lengthSize else { return .incomplete }
        let length = bytes[2..<2 + lengthSize].reduce(UInt64(lengthSize == 0 ? short : 0)) { $0 << 8 | UInt64($1) }
        if length > UInt64(Int64.max) { return .fault(.rule("the highest bit of a length must not be set")) }
        if lengthSize == 2 && length < 126 || lengthSize == 8 && length <= 0xffff {
            return .fault(.rule("a length has to be written in as few bytes as it needs"))
        }
        guard bytes.count >= size else { return .incomplete }
        let mask = isMasked ? WebSocketMask(bytes, at: size - 4) : nil
        return .head(
            WebSocketHead(isFinal: isFinal, opcode: opcode, size: size, length: Int(length), mask: mask)
        )
    }
}
