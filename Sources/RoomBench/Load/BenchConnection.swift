import NIOCore
import RoomClient
import RoomModel
import RoomWire

/// The events that a connection tells those who run it. All on its event loop.
protocol BenchConnectionDelegate: AnyObject {
    /// The replies to its first frames have come.
    func connectionOpened(_ connection: BenchConnection)
    /// Messages or acknowledgements have come.
    func connection(_ connection: BenchConnection, received counts: FrameScanner.Result)
    /// - Parameter storesMessages: `nil` if it may not know.
    func connection(_ connection: BenchConnection, storesMessages: Bool?)
    func connection(_ connection: BenchConnection, failed failure: BenchFailure)
    /// It has ended as it should.
    func connectionClosed(_ connection: BenchConnection)
}

/// One connection of the generator: says hello, and counts what it reads.
final class BenchConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State: Equatable {
        case connecting
        case greeting(missingReplies: Int)
        case open
        /// It is ended from here.
        case closing
        case closed
    }

    /// The room that it belongs to, by its number.
    let room: Int
    /// It is in the room; otherwise it publishes there.
    let isMember: Bool
    /// When it began to connect, in nanoseconds.
    let start: Int64
    /// That were read since somebody took them.
    var unreportedBytes = 0
    private(set) var scanner: FrameScanner
    private let greeting: ByteBuffer
    private let replies: Int
    private var upgrade: WebSocketUpgrade?
    private let isWebSocket: Bool
    private let decoder = BrokerFrameDecoder()
    private let delegate: any BenchConnectionDelegate
    private var state = State.connecting
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - greeting: its first frames: a handshake, and a member's subscribe.
    ///   - text: of the messages, if their numbers are to be read.
    init(
        to address: BrokerAddress,
        room: Int,
        isMember: Bool,
        start: Int64,
        greeting: ByteBuffer,
        reading text: MarkedText?,
        delegate: any BenchConnectionDelegate
    ) {
        self.room = room
        self.isMember = isMember
        self.start = start
        self.greeting = greeting
        // To the handshake, and to the subscribe.
        self.replies = isMember ? 2 : 1
        self.isWebSocket = address.webSocketPath != nil
        self.upgrade = address.webSocketPath.map { WebSocketUpgrade(to: address, path: $0) }
        self.scanner = FrameScanner(isWebSocket: self.isWebSocket, reading: text)
        self.delegate = delegate
    }

    // MARK: Writing

    func send(_ bytes: ByteBuffer) {
        guard let context = self.context, self.state == .open else { return }
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
    }

    func close() {
        guard let context = self.context, self.state != .closing, self.state != .closed else { return }
        if self.isWebSocket, self.upgrade == nil {
            context.write(self.wrapOutboundOut(OutgoingFrames.close()), promise: nil)
            context.flush()
        }
        self.state = .closing
        context.close(promise: nil)
    }

    // MARK: Reading

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let upgrade = self.upgrade else { return self.greet(context) }
        context.writeAndFlush(self.wrapOutboundOut(upgrade.request), promise: nil)
    }

    private func greet(_ context: ChannelHandlerContext) {
        self.state = .greeting(missingReplies: self.replies)
        context.writeAndFlush(self.wrapOutboundOut(self.greeting), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        self.unreportedBytes += bytes.readableBytes
        guard self.upgrade != nil else { return self.read(bytes, context) }
        switch self.upgrade?.received(bytes) {
        case .opened(let rest):
            self.upgrade = nil
            self.greet(context)
            self.read(rest, context)
        case .refused(let refusal): self.fail(BenchFailure(refusal))
        case nil: break
        }
    }

    private func read(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard self.state != .closing, self.state != .closed else { return }
        let result = self.scanner.scan(bytes)
        for other in result.others { self.handle(other, context) }
        guard self.state == .open, result.deliveries + result.acknowledgements > 0 else { return }
        self.delegate.connection(self, received: result)
    }

    private func handle(_ other: FrameScanner.Other, _ context: ChannelHandlerContext) {
        switch other {
        case .frame(let frame):
            do throws(BrokerFrameError) {
                self.handle(try self.decoder.decode(frame), context)
            } catch {
                self.fail(.noFrame)
            }
        case .ping(let payload):
            context.writeAndFlush(self.wrapOutboundOut(OutgoingFrames.pong(payload)), promise: nil)
        case .close: self.fail(.lost)
        case .fault: self.fail(.noFrame)
        }
    }

    private func handle(_ frame: BrokerFrame, _ context: ChannelHandlerContext) {
        switch frame {
        case .reply(let reply) where reply.callback == OutgoingFrames.historyCallback:
            let isOff = reply.error?.code == RoomModel.Code.historyOff.rawValue
            self.delegate.connection(self, storesMessages: reply.error == nil ? true : isOff ? false : nil)
        case .reply(let reply):
            if let error = reply.error { return self.fail(BenchFailure(error, in: self.step)) }
            self.replied()
        case .failure(let error): self.fail(BenchFailure(error, in: self.step))
        case .goodbye(let goodbye): self.fail(BenchFailure(goodbye, in: self.step))
        case .gap: self.fail(BenchFailure(code: "slow_consumer", text: "a member missed messages", in: self.step))
        case .removed(let removal): self.fail(BenchFailure(.refused, "a member was removed: \(removal.reason)"))
        case .ping:
            var frames = OutgoingFrames(isWebSocket: self.isWebSocket)
            frames.pong()
            context.writeAndFlush(self.wrapOutboundOut(frames.bytes), promise: nil)
        // Frames about others in the channel, or from its administrators: nothing that was asked for.
        default: break
        }
    }

    private var step: BenchFailure.Step { self.state == .open ? .measuring : .connecting }

    private func replied() {
        guard case .greeting(let missing) = self.state else { return }
        guard missing <= 1 else {
            self.state = .greeting(missingReplies: missing - 1)
            return
        }
        self.state = .open
        self.delegate.connectionOpened(self)
    }

    // MARK: The end

    private func fail(_ failure: BenchFailure) {
        guard self.state != .closing, self.state != .closed else { return }
        self.state = .closing
        self.delegate.connection(self, failed: failure)
        self.context?.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let refusal = self.upgrade?.ended()
        let wasClosing = self.state == .closing
        if !wasClosing { self.fail(refusal.map { BenchFailure($0) } ?? .lost) }
        self.state = .closed
        self.delegate.connectionClosed(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let wasReady = self.state == .open
        let text = RoomClientError(connection: error, wasReady: wasReady, context).message
        self.fail(BenchFailure(.unavailable, text))
    }
}
