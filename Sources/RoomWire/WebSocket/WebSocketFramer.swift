package import NIOCore
package import RoomModel

/// Cuts the bytes of one WebSocket into messages and control frames (RFC 6455), however the network and its sender split
/// them.
///
/// The bytes that it holds have really come: neither the length in a head nor a message that is to have fragments takes
/// memory. A message that comes whole from a server is a slice of the read buffer. One of a client is masked, and the
/// read buffer is shared with the pool that it comes from: it is unmasked into a buffer of its own, in one pass.
package struct WebSocketFramer {
    package enum Event: Equatable, Sendable {
        /// A text message is known to be UTF-8; of a binary one nothing is known.
        case message(ByteBuffer, isText: Bool)
        /// A frame of a message has ended that is not its last one: nothing is to be done, but it was work.
        case fragment(bytes: Int)
        case ping(ByteBuffer)
        case pong
        /// The framer gives out nothing after this.
        case close(WebSocketClose)
        /// The other side has broken a rule. The framer gives out nothing after this.
        case failure(WebSocketFault)
    }

    /// A message whose end has not come.
    private struct OpenMessage {
        let isText: Bool
        var bytes = ByteBuffer()
        var text = UTF8Validator()
    }

    /// A data frame whose payload has not come whole.
    private struct OpenFrame {
        let isFinal: Bool
        let length: Int
        var missing: Int
        var mask: WebSocketMask?
    }

    private let role: WebSocketRole
    private let limit: Int
    /// The bytes that were read and not examined yet.
    private var unread = ByteBuffer()
    private var message: OpenMessage?
    private var frame: OpenFrame?
    private var hasEnded = false

    /// - Parameter limits: a message may be as long as a line.
    package init(role: WebSocketRole, limits: FrameLimits) {
        self.role = role
        self.limit = min(max(limits.line, 0), 1 << 30)
    }

    /// Takes what was read from the connection. Call ``next()`` then until it returns `nil`, or go on with it later.
    package mutating func append(_ bytes: ByteBuffer) {
        if self.hasEnded { return }
        if self.unread.readableBytes == 0 {
            self.unread = bytes
        } else {
            self.unread.writeImmutableBuffer(bytes)
        }
    }

    /// Whether there are bytes that ``next()`` has not looked at.
    package var hasUnread: Bool { self.unread.readableBytes > 0 }

    /// The bytes that it holds of messages that have not come to their end, or have not been given out.
    package var heldBytes: Int { self.unread.readableBytes + self.unfinishedBytes }

    /// The bytes of a message whose last fragment has not come.
    package var unfinishedBytes: Int { self.message?.bytes.readableBytes ?? 0 }

    /// The next event; `nil` when more bytes are needed for it.
    package mutating func next() -> Event? {
        guard !self.hasEnded else { return nil }
        let event = self.frame == nil ? self.readFrame() : self.readPayload()
        switch event {
        case .none: self.releaseReadBuffer()
        case .close, .failure:
            self.hasEnded = true
            self.unread = ByteBuffer()
            self.message = nil
            self.frame = nil
        case .message, .fragment, .ping, .pong: break
        }
        return event
    }

    /// A part of a frame that is waited for does not hold the buffer that it was read into.
    private mutating func releaseReadBuffer() {
        let most = WebSocketHead.sizeLimit + WebSocketHead.controlLimit
        guard self.unread.storageCapacity > 2 * most else { return }
        self.unread = ByteBuffer(bytes: self.unread.readableBytesView)
    }

    private mutating func readFrame() -> Event? {
        switch self.unread.withUnsafeReadableBytes({ WebSocketHead.read($0, by: self.role) }) {
        case .incomplete: return nil
        case .fault(let fault): return .failure(fault)
        case .head(let head): return head.opcode.isControl ? self.readControl(head) : self.readData(head)
        }
    }

    // MARK: Control frames

    private mutating func readControl(_ head: WebSocketHead) -> Event? {
        guard self.unread.readableBytes >= head.size + head.length else { return nil }
        self.unread.moveReaderIndex(forwardBy: head.size)
        let payload = self.takePayload(head.length, head.mask)
        guard head.opcode == .close else { return head.opcode == .ping ? .ping(payload) : .pong }
        switch WebSocketClose.read(payload) {
        case .close(let close): return .close(close)
        case .fault(let fault): return .failure(fault)
        }
    }

    /// Reads so many bytes, which are there.
    private mutating func takePayload(_ count: Int, _ mask: WebSocketMask?) -> ByteBuffer {
        guard mask != nil else { return self.unread.readSlice(length: count) ?? ByteBuffer() }
        var payload = ByteBuffer()
        payload.reserveCapacity(count)
        self.readUnmasked(count, mask, into: &payload)
        return payload
    }

    private mutating func readUnmasked(_ count: Int, _ mask: WebSocketMask?, into target: inout ByteBuffer) {
        guard var source = self.unread.readSlice(length: count) else { return }
        guard let mask else {
            target.writeBuffer(&source)
            return
        }
        source.withUnsafeReadableBytes { source in
            _ = target.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
                mask.apply(to: source, into: target)
                return count
            }
        }
    }

    // MARK: Messages

    private mutating func readData(_ head: WebSocketHead) -> Event? {
        if head.opcode == .continuation, self.message == nil {
            return .failure(.rule("a continuation frame without a message that it continues"))
        }
        if head.opcode != .continuation, self.message != nil {
            return .failure(.rule("a new message before the last frame of the one that has begun"))
        }
        // decided by the head: nothing of it is waited for
        guard head.length <= self.limit - (self.message?.bytes.readableBytes ?? 0) else {
            return .failure(.tooLarge(limit: self.limit))
        }
        self.unread.moveReaderIndex(forwardBy: head.size)
        if head.isFinal, self.message == nil, self.unread.readableBytes >= head.length {
            return self.wholeMessage(head)
        }
        if self.message == nil { self.message = OpenMessage(isText: head.opcode == .text) }
        self.frame = OpenFrame(isFinal: head.isFinal, length: head.length, missing: head.length, mask: head.mask)
        return self.readPayload()
    }

    private mutating func wholeMessage(_ head: WebSocketHead) -> Event {
        let bytes = self.takePayload(head.length, head.mask)
        guard head.opcode == .text else { return .message(bytes, isText: false) }
        var text = UTF8Validator()
        let isText = bytes.withUnsafeReadableBytes { text.accepts($0) } && text.isComplete
        return isText ? .message(bytes, isText: true) : .failure(.utf8)
    }

    /// Adds to the message what has come of its frame.
    private mutating func readPayload() -> Event? {
        guard var frame = self.frame, var message = self.message.take() else { return nil }
        let count = min(frame.missing, self.unread.readableBytes)
        let start = message.bytes.readableBytes
        self.readUnmasked(count, frame.mask, into: &message.bytes)
        frame.mask = frame.mask?.advanced(by: count)
        frame.missing -= count
        if message.isText {
            let isText = message.bytes.withUnsafeReadableBytes { bytes in
                message.text.accepts(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
            guard isText else { return .failure(.utf8) }
        }
        guard frame.missing == 0 else {
            self.frame = frame
            self.message = message
            return nil
        }
        self.frame = nil
        guard frame.isFinal else {
            self.message = message
            return .fragment(bytes: frame.length)
        }
        guard message.text.isComplete else { return .failure(.utf8) }
        return .message(message.bytes, isText: message.isText)
    }
}
