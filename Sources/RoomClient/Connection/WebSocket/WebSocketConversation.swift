import NIOCore
import RoomModel
import RoomWire

/// A WebSocket to the broker, from its request to its Close: the client's frames go out as text messages, and the broker's
/// messages are frames.
struct WebSocketConversation {
    enum Event: Equatable {
        /// A frame of the broker's.
        case frame(ByteBuffer)
        /// Is to be written.
        case answer(ByteBuffer)
        case refused(UpgradeRefusal)
        /// The broker has closed the WebSocket. Nothing follows.
        case closed(WebSocketClose)
        /// The broker has broken a rule of RFC 6455. Nothing follows.
        case failed(WebSocketFault)
    }

    /// `nil`: the WebSocket is open.
    private var upgrade: WebSocketUpgrade?
    private var hasAsked = false
    /// The bytes that were to be written before the WebSocket was open.
    private var early = ByteBuffer()
    private var framer: WebSocketFramer
    private var unread = ByteBuffer()
    /// The Close that answers the broker's, or says what it has done wrong.
    private var close: WebSocketClose?
    private var hasClosed = false

    /// - Parameter limit: the longest message, in bytes.
    init(to address: BrokerAddress, path: String, limit: Int) {
        var limits = FrameLimits()
        limits.line = limit
        self.framer = WebSocketFramer(role: .client, limits: limits)
        self.upgrade = WebSocketUpgrade(to: address, path: path)
    }

    // MARK: Out

    /// Frames that end in a newline each; the first ones send the request.
    ///
    /// - Returns: what is to be written.
    mutating func write(_ lines: ByteBuffer) -> ByteBuffer {
        guard let upgrade else { return self.messages(lines) }
        self.early.writeImmutableBuffer(lines)
        if self.hasAsked { return ByteBuffer() }
        self.hasAsked = true
        return upgrade.request
    }

    /// The Close that is still to be written; only once, and only where the WebSocket is open.
    ///
    /// - Parameter isFarewell: the client has nothing more to say. Otherwise a Close is written only where the broker is due
    ///   one: a connection that was given up is resumed by the next one.
    mutating func closing(isFarewell: Bool) -> ByteBuffer? {
        guard self.upgrade == nil, !self.hasClosed, let close = self.close ?? (isFarewell ? Self.farewell : nil) else {
            return nil
        }
        self.hasClosed = true
        return self.control(.close) { close.write(into: &$0) }
    }

    private static let farewell = WebSocketClose(code: 1000)

    private mutating func messages(_ lines: ByteBuffer) -> ByteBuffer {
        var (lines, messages) = (lines, ByteBuffer())
        messages.reserveCapacity(lines.readableBytes + 2 * WebSocketFrameWriter.headSize(payload: lines.readableBytes))
        while lines.readableBytes > 0 {
            let end = lines.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) ?? lines.writerIndex
            guard let line = lines.readSlice(length: end - lines.readerIndex) else { break }
            lines.moveReaderIndex(forwardBy: min(1, lines.readableBytes))
            let mask = self.mask()
            WebSocketFrameWriter.write(.text, mask: mask, into: &messages) { $0.writeImmutableBuffer(line) }
        }
        return messages
    }

    private func control(_ opcode: WebSocketOpcode, _ payload: (inout ByteBuffer) -> Void) -> ByteBuffer {
        var frame = ByteBuffer()
        WebSocketFrameWriter.write(opcode, mask: self.mask(), into: &frame, payload: payload)
        return frame
    }

    private func mask() -> WebSocketMask {
        WebSocketMask(key: .random(in: 0 ... .max))
    }

    // MARK: In

    /// Takes what was read from the connection. Call ``next()`` then until it returns `nil`.
    mutating func append(_ bytes: ByteBuffer) {
        if self.upgrade == nil { self.framer.append(bytes) } else { self.unread.writeImmutableBuffer(bytes) }
    }

    /// The next event; `nil` when more bytes are needed for it.
    mutating func next() -> Event? {
        if self.upgrade != nil { return self.open() }
        while let event = self.framer.next() {
            switch event {
            case .message(let frame, _): return .frame(frame)
            case .ping(let payload):
                return .answer(self.control(.pong) { $0.writeImmutableBuffer(payload) })
            case .fragment, .pong: continue
            case .close(let close):
                self.close = WebSocketClose(code: close.code)
                return .closed(close)
            case .failure(let fault):
                self.close = WebSocketClose(code: fault.closeCode, reason: fault.text)
                return .failed(fault)
            }
        }
        return nil
    }

    private mutating func open() -> Event? {
        guard self.unread.readableBytes > 0 else { return nil }
        let bytes = self.unread
        self.unread = ByteBuffer()
        switch self.upgrade?.received(bytes) {
        case .opened(let rest):
            self.upgrade = nil
            self.framer.append(rest)
            let early = self.early
            self.early = ByteBuffer()
            return .answer(self.messages(early))
        case .refused(let refusal): return .refused(refusal)
        case nil: return nil
        }
    }

    /// The connection has ended.
    ///
    /// - Returns: why there was no WebSocket; `nil` if there was one, or nothing is known.
    mutating func ended() -> UpgradeRefusal? { self.upgrade?.ended() }
}

extension RoomClientError {
    /// The error of a Close without a goodbye: the codes are those of the protocol's table.
    init(_ close: WebSocketClose) {
        let reason = close.reason.isEmpty ? "" : ": \(close.reason)"
        let text = "the broker closed the WebSocket\(close.code.map { " with the code \($0)" } ?? "")\(reason)"
        let known = RoomModel.Code(close: close)
        self.init(
            known.map { RoomClientError.Code(rawValue: $0.rawValue) } ?? .connectionLost,
            text,
            isRetryable: known?.reconnects
        )
    }
}

extension RoomModel.Code {
    init?(close: WebSocketClose) {
        guard let code = Self.allCases.first(where: { $0.webSocketCloseCode == close.code }) else { return nil }
        self = code
    }
}
