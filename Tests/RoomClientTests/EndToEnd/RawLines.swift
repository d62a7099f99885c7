import NIOCore
import RoomTestKit

/// What the broker says to a `RawClient`. Confined to its event loop.
final class RawLines: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let loop: any EventLoop
    private var replies: [Int: EventLoopPromise<String>] = [:]
    private var readers = CircularBuffer<EventLoopPromise<String>>()
    private var frames = CircularBuffer<String>()
    private var unfinished = ByteBuffer()
    private var lastCallback = 0
    private var hasEnded = false

    init(loop: any EventLoop) {
        self.loop = loop
    }

    /// - Returns: the callback to ask with.
    func expect(_ reply: EventLoopPromise<String>) -> Int {
        self.lastCallback += 1
        if self.hasEnded { reply.fail(RawClient.Ended()) } else { self.replies[self.lastCallback] = reply }
        return self.lastCallback
    }

    func expectFrame(_ reader: EventLoopPromise<String>) {
        if let frame = self.frames.popFirst() {
            reader.succeed(frame)
        } else if self.hasEnded {
            reader.fail(RawClient.Ended())
        } else {
            self.readers.append(reader)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.unfinished.writeImmutableBuffer(self.unwrapInboundIn(data))
        while let end = self.unfinished.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.unfinished.readString(length: end - self.unfinished.readerIndex) ?? ""
            self.unfinished.moveReaderIndex(forwardBy: 1)
            self.read(line)
        }
        self.unfinished.discardReadBytes()
    }

    private func read(_ line: String) {
        FrameDump.shared?.write(.broker, line)
        if let callback = ReceivedFrame(line)?.callback {
            self.replies.removeValue(forKey: callback)?.succeed(line)
        } else if let reader = self.readers.popFirst() {
            reader.succeed(line)
        } else {
            self.frames.append(line)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.hasEnded = true
        for reply in self.replies.values { reply.fail(RawClient.Ended()) }
        for reader in self.readers { reader.fail(RawClient.Ended()) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
