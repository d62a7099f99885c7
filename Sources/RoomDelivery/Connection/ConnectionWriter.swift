import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// The way out of one connection: a lane for replies, and shared bytes straight from the rooms' chunks.
///
/// Writes go to the kernel directly. When it takes less, NIO gets the rest of the one frame that was cut, and the writer
/// is blocked until that is written; so replies can always go next, between two frames. Confined to the event loop.
final class ConnectionWriter {
    let channel: any Channel
    private let way: Way
    /// How replies are framed. Set before anything is written.
    var wireFormat = WireFormat.jsonLines
    private(set) var isBlocked = false
    /// The reason that the system gave when a write failed.
    private(set) var failure: EndReason?
    private(set) var isOpen = true { didSet { if !self.isOpen { self.takesDeliveries = false } } }
    /// Shared bytes may be written: not when the session has ended.
    private(set) var takesDeliveries = true
    /// Replies may be written: not behind the last frame.
    private var takesReplies = true
    private var isHandingOver = false
    /// How many writes it has made.
    private(set) var writes = 0
    /// How often a full socket has taken what waited for it.
    private(set) var unblocked = 0
    private var replies = ByteBuffer()
    /// The bytes of the replies that NIO has.
    private var repliesHandedOver = 0
    private var lastHandedOver = 0
    /// Called when a blocked writer can be written to again.
    var onDrained: (() -> Void)?

    private enum Way {
        case socket(SocketWriter)
        /// Another direct writer: a test's.
        case other(any DirectWriter)
        /// All bytes go through the channel's pipeline (TLS).
        case pipeline
    }

    /// - Parameter direct: `nil` where all bytes have to go through the channel's pipeline.
    init(channel: any Channel, direct: (any DirectWriter)?) {
        self.channel = channel
        self.way =
            switch direct {
            case let socket as SocketWriter: .socket(socket)
            case .some(let other): .other(other)
            case .none: .pipeline
            }
    }

    /// The peer reads nothing, although its socket may have taken all: the system's buffers hold it. Asks the system.
    var isStalled: Bool {
        switch self.way {
        case .socket(let socket): socket.isStalled
        case .other: false
        case .pipeline: self.channel.isStalled
        }
    }

    /// Replies that have not been handed over.
    var waitingReplies: Int { self.replies.readableBytes }

    /// Replies that the peer has not taken: those that wait, and the rest of one that NIO has.
    var unread: Int { self.replies.readableBytes + self.repliesHandedOver }

    /// The session has ended: only replies are written.
    func endDeliveries() {
        self.takesDeliveries = false
    }

    /// The last frame is written: nothing follows but a Close of WebSocket.
    func endReplies() {
        self.takesReplies = false
    }

    /// Replies that have not been handed over are not sent.
    func dropReplies() {
        self.replies = ByteBuffer()
    }

    /// Appends a line to the replies, or what carries it in the connection's format; `flush` sends them.
    func reply(_ write: (inout ByteBuffer) -> Void) {
        guard self.isOpen, self.takesReplies else { return }
        switch self.wireFormat {
        case .jsonLines, .textLines: write(&self.replies)
        case .webSocket:
            WebSocketFrameWriter.write(.text, into: &self.replies) { line in
                write(&line)
                line.moveWriterIndex(to: line.writerIndex - 1)
            }
        case .events: EventWriter.write(into: &self.replies, line: write)
        }
    }

    /// Appends bytes to the replies as they are.
    func raw(_ write: (inout ByteBuffer) -> Void) {
        guard self.isOpen, self.takesReplies else { return }
        write(&self.replies)
    }

    /// Appends a WebSocket frame of the protocol's own to the replies. Nothing follows a Close (RFC 6455 §5.5.1).
    func control(_ opcode: WebSocketOpcode, _ write: (inout ByteBuffer) -> Void) {
        guard self.isOpen, self.takesReplies || opcode == .close else { return }
        if opcode == .close { self.takesReplies = false }
        WebSocketFrameWriter.write(opcode, into: &self.replies, payload: write)
    }

    /// Sends the replies.
    ///
    /// - Returns: whether nothing waits, so that shared bytes may follow.
    func flush() -> Bool {
        guard self.replies.readableBytes > 0 else { return !self.isBlocked && self.isOpen }
        guard !self.isBlocked, self.isOpen else { return false }
        // taken out while it is written: a write may call back
        var replies = self.replies
        self.replies = ByteBuffer()
        while replies.readableBytes > 0, !self.isBlocked, self.isOpen {
            let end = self.write(replies, from: replies.readerIndex, to: replies.writerIndex) { offset in
                self.endOfReply(in: replies, after: offset)
            }
            replies.moveReaderIndex(to: end)
        }
        if self.isBlocked { self.repliesHandedOver = self.lastHandedOver }
        if replies.readableBytes > 0, self.isOpen {
            // what is read is given back: little may be left of much
            var rest = ByteBuffer()
            rest.reserveCapacity(replies.readableBytes + self.replies.readableBytes)
            rest.writeImmutableBuffer(replies)
            rest.writeImmutableBuffer(self.replies)
            self.replies = rest
        }
        return self.replies.readableBytes == 0 && !self.isBlocked && self.isOpen
    }

    /// Writes the bytes of `buffer` between two indices, or as many whole frames of them as can be written now.
    ///
    /// - Parameter frameEnd: where the frame ends that has bytes behind an index.
    /// - Returns: the index up to which all is written or on its way: the end of a frame.
    func write(_ buffer: ByteBuffer, from: Int, to: Int, frameEnd: (Int) -> Int) -> Int {
        if case .pipeline = self.way {
            return self.writeThroughPipeline(buffer, from: from, to: to, frameEnd: frameEnd)
        }
        let taken = buffer.withVeryUnsafeBytes { bytes in
            self.writeDirectly(UnsafeRawBufferPointer(rebasing: bytes[from..<to]))
        }
        guard let taken else {
            self.abort()
            return to
        }
        return from + taken == to ? to : self.finishFrame(of: buffer, at: from + taken, frameEnd: frameEnd)
    }

    /// The short way for the fan-out: offers the kernel all of a chunk, if nothing is in the way.
    ///
    /// - Returns: how many bytes were taken; `nil` where the long way has to be gone. Behind fewer than all bytes
    ///   `finishFrame` has to follow.
    func offer(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard self.takesDeliveries, !self.isBlocked, self.replies.readableBytes == 0 else { return nil }
        return self.writeDirectly(bytes)
    }

    private func writeDirectly(_ bytes: UnsafeRawBufferPointer) -> Int? {
        self.writes &+= 1
        let count: Int
        switch self.way {
        case .socket(let socket): count = socket.write(bytes)
        case .other(let writer): count = writer.write(bytes)
        case .pipeline: return nil
        }
        if count >= 0 { return count }
        self.failed(errorNumber: CInt(clamping: -count))
        return nil
    }

    /// The kernel took the bytes before `index`: the rest of the frame there goes to NIO.
    ///
    /// - Returns: where that frame ends.
    func finishFrame(of buffer: ByteBuffer, at index: Int, frameEnd: (Int) -> Int) -> Int {
        let end = frameEnd(index)
        self.handOver(buffer, index..<end)
        return end
    }

    /// How much of a chunk goes to a pipeline at once: its replies wait behind no more than this.
    private static let pipelinePiece = 64 * 1024

    private func writeThroughPipeline(_ buffer: ByteBuffer, from: Int, to: Int, frameEnd: (Int) -> Int) -> Int {
        let end = to - from <= Self.pipelinePiece ? to : frameEnd(from + Self.pipelinePiece - 1)
        self.handOver(buffer, from..<end)
        return end
    }

    private func handOver(_ buffer: ByteBuffer, _ range: Range<Int>) {
        guard let slice = self.slice(range, of: buffer) else { return }
        self.writes &+= 1
        self.isBlocked = true
        self.isHandingOver = true
        self.lastHandedOver = range.count
        let promise = self.channel.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: self.channel.eventLoop)
        promise.futureResult.whenComplete { result in bound.value.handedOver(result) }
        self.channel.writeAndFlush(slice, promise: promise)
        self.isHandingOver = false
    }

    /// NIO keeps what it is given until the peer reads, and a slice keeps the whole buffer: of a large one the rest of a
    /// frame is copied. (TLS encrypts at once.)
    private func slice(_ range: Range<Int>, of buffer: ByteBuffer) -> ByteBuffer? {
        let slice = buffer.getSlice(at: range.lowerBound, length: range.count)
        if case .pipeline = self.way { return slice }
        guard let slice, buffer.storageCapacity > 2 * range.count + 1_024 else { return slice }
        return ByteBuffer(bytes: slice.readableBytesView)
    }

    private func handedOver(_ result: Result<Void, any Error>) {
        if case .failure(let error) = result {
            if let error = error as? IOError { self.failed(errorNumber: error.errnoCode) }
            // NIO is closing the channel: its descriptor may belong to another connection from now on
            self.isOpen = false
            return
        }
        self.isBlocked = false
        self.repliesHandedOver = 0
        // the one who writes goes on by itself
        guard !self.isHandingOver else { return }
        self.unblocked &+= 1
        if self.isOpen { self.onDrained?() }
    }

    /// The first error says it: behind it a socket has another one.
    private func failed(errorNumber: CInt) {
        guard self.failure == nil else { return }
        self.failure = EndReason(errorNumber: errorNumber, of: self.channel)
    }

    /// - Parameter buffer: begins with the start of a reply.
    private func endOfReply(in buffer: ByteBuffer, after index: Int) -> Int {
        switch self.wireFormat {
        case .jsonLines, .textLines:
            let rest = buffer.viewBytes(at: index, length: buffer.writerIndex - index)
            return rest?.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? buffer.writerIndex
        case .webSocket:
            var end = buffer.readerIndex
            while end <= index { end = WebSocketFrameWriter.end(ofFrameAt: end, in: buffer) ?? buffer.writerIndex }
            return end
        case .events: return EventWriter.end(ofEventAfter: index, in: buffer)
        }
    }

    /// The channel is gone or going; nothing is written any more.
    func closed() {
        self.isOpen = false
        self.replies = ByteBuffer()
        self.onDrained = nil
    }

    /// All is written. Tells the peer so, and waits for its end: closing at once, with input unread, would reset the
    /// connection and could lose what the peer has not read yet.
    func endOutput(andInput: Bool) {
        guard self.isOpen else { return }
        self.isOpen = false
        self.channel.close(mode: andInput ? .all : .output, promise: nil)
    }

    /// Closes the channel now; what waits is lost.
    func abort() {
        self.isOpen = false
        self.channel.close(mode: .all, promise: nil)
    }
}
