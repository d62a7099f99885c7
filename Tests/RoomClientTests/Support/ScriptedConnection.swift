import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import RoomModel
import RoomTestKit
import RoomWire

@testable import RoomClient

/// The broker's end of one connection: what the client has asked, frame by frame, and what it is told.
final class ScriptedConnection: Sendable {
    let loop: NIOAsyncTestingEventLoop
    let channel: NIOAsyncTestingChannel
    private let transport = ClientTransport.current
    private let upgrade: String?
    private let asked = Inbox<AskedFrame>()
    private let ends = NIOLockedValueBox(ChannelEnds())
    private let stamps = NIOLockedValueBox<UInt64>(0)

    /// - Parameter upgrade: what a WebSocket is answered; `nil`: that it is open.
    init(loop: NIOAsyncTestingEventLoop, upgrade: String? = nil) {
        self.loop = loop
        self.upgrade = upgrade
        self.channel = NIOAsyncTestingChannel(loop: loop)
    }

    /// Makes the channel and gives it to the client.
    func open(_ attempt: ConnectionAttempt) async throws {
        try await self.activate(attempt)
        attempt.answer(.success(self.channel))
    }

    /// Makes the channel, without giving it to the client yet.
    func activate(_ attempt: ConnectionAttempt) async throws {
        let (channel, asked, ends, transport) = (self.channel, self.asked, self.ends, self.transport)
        let upgrade = self.upgrade
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 10_000)
        try await self.loop.submit {
            let end: any ChannelHandler =
                switch transport {
                case .tcp: BrokerEnd(asked: asked, ends: ends)
                case .webSocket: WebSocketBrokerEnd(asked: asked, ends: ends, upgrade: upgrade)
                }
            try channel.pipeline.syncOperations.addHandlers([end, attempt.handler()])
            channel.pipeline.register(promise: nil)
            channel.connect(to: address, promise: nil)
        }.get()
    }

    // MARK: What the client asks

    /// Waits for the client's next frame.
    func next() async throws -> AskedFrame {
        try await self.asked.next()
    }

    /// Takes what the client has asked and the test has not looked at.
    func unread() async -> [AskedFrame] {
        await self.loop.run()
        return self.asked.takeAll()
    }

    /// What kinds of frames those are.
    func unreadKinds() async -> [String] {
        await self.unread().map(\.kind)
    }

    /// The client has half-closed the connection, or sent the Close of its WebSocket.
    var isOutputClosed: Bool { self.ends.withLockedValue { $0.isOutputClosed || $0.close != nil } }
    /// What else a WebSocket has had from the client.
    var end: ChannelEnds { self.ends.withLockedValue(\.self) }
    var isClosed: Bool { !self.channel.isActive }

    // MARK: What the client is told

    /// Sends frames of the protocol, a line each.
    func send(_ lines: String...) async throws {
        for line in lines { FrameDump.shared?.write(.broker, line) }
        try await self.sendBytes(lines.map { $0 + "\n" }.joined())
    }

    /// Sends what need not be of the protocol.
    func sendBytes(_ text: String) async throws {
        try await self.sendBytes(self.bytes(of: text))
    }

    /// The lines as the transport has them. Over a WebSocket a line without its end is a sign of life only.
    func bytes(of text: String) -> ByteBuffer {
        guard self.transport == .webSocket else { return ByteBuffer(string: text) }
        var bytes = ByteBuffer()
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        let rest = lines.popLast() ?? ""
        for line in lines { WebSocketFrameWriter.write(.text, into: &bytes) { $0.writeSubstring(line) } }
        if !rest.isEmpty { WebSocketFrameWriter.write(.pong, into: &bytes) { _ in } }
        return bytes
    }

    func sendBytes(_ bytes: ByteBuffer) async throws {
        try await self.loop.submit {
            self.channel.pipeline.fireChannelRead(bytes)
            self.channel.pipeline.fireChannelReadComplete()
        }.get()
        await self.loop.run()
    }

    /// Writes a frame with the broker's stamp.
    func frame(from sender: Sender = .broker, _ fields: (inout FrameWriter) -> Void) -> String {
        var buffer = ByteBuffer()
        FrameWriter.write(into: &buffer, stamp: self.stamp(sender), fields)
        return String(buffer: buffer).trimmingSuffix("\n")
    }

    func stamp(_ sender: Sender) -> Stamp {
        let number = self.stamps.withLockedValue { number in
            number += 1
            return number
        }
        return Stamp(id: .make(number), sender: sender)
    }

    /// The network goes away.
    func lose() async throws {
        try await self.loop.submit { self.channel.close(promise: nil) }.get()
        await self.loop.run()
    }

    func fail(_ error: any Error) async throws {
        try await self.loop.submit { self.channel.pipeline.fireErrorCaught(error) }.get()
        await self.loop.run()
    }

    /// The socket's buffer is full, or has room again.
    func makeWritable(_ isWritable: Bool) async throws {
        try await self.loop.submit {
            self.channel.isWritable = isWritable
            self.channel.pipeline.fireChannelWritabilityChanged()
        }.get()
        await self.loop.run()
    }
}

/// What the client has done to its channel.
struct ChannelEnds {
    var isOutputClosed = false
    /// Of a WebSocket: its request, the Close, the payloads of pongs, and the rules that were broken.
    var request = ""
    var close: WebSocketClose?
    var pongs: [String] = []
    var faults: [WebSocketFault] = []
}

/// The socket's place in the channel: reads the client's frames, and knows half-closing, which the channel does not.
private final class BrokerEnd: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let asked: Inbox<AskedFrame>
    private let ends: NIOLockedValueBox<ChannelEnds>
    private var framer = LineFramer(limits: FrameLimits())

    init(asked: Inbox<AskedFrame>, ends: NIOLockedValueBox<ChannelEnds>) {
        self.asked = asked
        self.ends = ends
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.framer.append(self.unwrapOutboundIn(data))
        while case .line(let line) = self.framer.next() {
            FrameDump.shared?.write(.client, String(buffer: line))
            self.asked.add(AskedFrame(line))
        }
        promise?.succeed(())
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard case .output = mode else { return context.close(mode: mode, promise: promise) }
        self.ends.withLockedValue { $0.isOutputClosed = true }
        promise?.succeed(())
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        self.hasSuffix(suffix) ? String(self.dropLast(suffix.count)) : self
    }
}
