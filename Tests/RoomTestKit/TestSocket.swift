import DequeModule
package import NIOCore
import RoomDelivery

/// The kernel's side of a connection: what the broker writes to it directly and what goes through the channel's pipeline
/// come out as one stream of bytes.
///
/// It takes as much as a test lets it: everything, a number of bytes, or random counts.
package final class TestSocket: DirectWriter {
    /// The bytes that the client can read.
    package private(set) var received = ByteBuffer()
    /// How many bytes it takes until the client reads on.
    private var room = Int.max
    private var random: SeededRandom?
    /// The number of the error that all writes end with.
    private var errorNumber: CInt?
    private var pending: Deque<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)> = []
    /// Bytes were written past those that wait in the pipeline: the client would read them in the wrong order.
    package private(set) var hasOvertaken = false
    package private(set) var writes = 0
    /// Called when bytes have been received.
    var onBytes: (() -> Void)?

    init() {}

    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let errorNumber { return -Int(errorNumber) }
        if !self.pending.isEmpty { self.hasOvertaken = true }
        var count = min(bytes.count, self.room)
        if self.random?.chance(40) ?? false { count = self.random?.below(count + 1) ?? count }
        self.take(ByteBuffer(bytes: bytes.prefix(count)))
        self.writes += 1
        return count
    }

    private func take(_ bytes: ByteBuffer) {
        if self.room != .max { self.room -= bytes.readableBytes }
        self.received.writeImmutableBuffer(bytes)
        self.onBytes?()
    }

    // MARK: Acts of the client

    /// Takes so many bytes more, and no others until `readAll`.
    func limit(to count: Int) {
        self.room = count
    }

    func readAll() {
        self.room = .max
        self.drain()
    }

    /// From now on takes random counts of bytes.
    package func takeRandomly(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
    }

    func breakDown(_ errorNumber: CInt) {
        self.errorNumber = errorNumber
    }

    /// Takes the bytes that have been received out.
    func takeReceived() -> ByteBuffer {
        defer { self.received = ByteBuffer() }
        return self.received
    }

    // MARK: Input from the pipeline

    func add(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        self.pending.append((bytes, promise))
    }

    /// The broker's memory that a pipeline's buffers keep alive.
    package var pendingCapacity: Int { self.pending.reduce(0) { $0 + $1.bytes.storageCapacity } }

    func drain() {
        while let first = self.pending.first, self.room > 0 {
            let count = min(first.bytes.readableBytes, self.room)
            if let part = self.pending[0].bytes.readSlice(length: count) { self.take(part) }
            guard self.pending[0].bytes.readableBytes == 0 else { return }
            self.pending.removeFirst().promise?.succeed(())
        }
    }

    func fail() {
        while let next = self.pending.popFirst() { next.promise?.fail(ChannelError.ioOnClosedChannel) }
    }
}

/// The pipeline's end at a `TestSocket`, with the half-closing of TCP.
final class TestSocketHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let socket: TestSocket
    private(set) var isOutputClosed = false
    var isInputClosed = false

    init(_ socket: TestSocket) {
        self.socket = socket
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.socket.add(self.unwrapOutboundIn(data), promise)
    }

    func flush(context: ChannelHandlerContext) {
        self.socket.drain()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .output = mode, !self.isInputClosed {
            self.isOutputClosed = true
            promise?.succeed(())
            return
        }
        self.isOutputClosed = true
        self.socket.fail()
        context.close(mode: .all, promise: promise)
    }
}
