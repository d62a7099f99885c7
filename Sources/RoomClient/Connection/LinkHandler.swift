import NIOCore
import RoomModel
import RoomWire

/// The connection of the present attempt, from the moment it is open.
struct Link {
    let channel: any Channel
    /// Frames that go out with the next flush.
    var outgoing = ByteBuffer()
    var keepAlive: KeepAlive?
    var keepAliveTimer: Scheduled<Void>?
    /// The app has closed the client. The broker ends the connection when it has read the last frames.
    var isFarewell = false
}

/// One connection's bytes: lines, or the messages of a WebSocket, become frames, and frames go to the client; what the client
/// writes goes out as lines or as messages. Bytes from every other channel than the present connection's are ignored: from an
/// earlier one, or from one to another address of the broker that was tried at the same time.
final class LinkHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: BrokerConnection
    private let decoder = BrokerFrameDecoder()
    private var framer: LineFramer
    /// `nil`: JSON lines.
    private var webSocket: WebSocketConversation?

    init(_ connection: BrokerConnection, to address: BrokerAddress) {
        self.connection = connection
        var limits = FrameLimits()
        // A page of the history, or the members of a large room, are the longest lines.
        limits.line = Self.longestLine
        limits.endlessLine = Self.longestLine
        self.framer = LineFramer(limits: limits)
        self.webSocket = address.webSocketPath.map { path in
            WebSocketConversation(to: address, path: path, limit: Self.longestLine)
        }
    }

    private static let longestLine = 16 * 1024 * 1024

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.connection.isLinked(to: context.channel) else { return }
        self.connection.heard()
        let bytes = self.unwrapInboundIn(data)
        if self.webSocket == nil { self.readLines(bytes, context) } else { self.readMessages(bytes, context) }
    }

    private func readLines(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let channel = context.channel
        self.framer.append(bytes)
        while self.connection.isLinked(to: channel), let line = self.framer.next() {
            switch line {
            case .line(let line): self.read(line)
            case .tooLong, .endless: self.connection.failed(Self.noFrame("a line is longer than 16 MiB"))
            }
        }
    }

    private func readMessages(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let channel = context.channel
        self.webSocket?.append(bytes)
        while self.connection.isLinked(to: channel), let event = self.webSocket?.next() {
            switch event {
            case .frame(let frame): self.read(frame)
            case .answer(let bytes): context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
            case .refused(let refusal): self.refused(refusal)
            case .closed(let close):
                let isFinal = RoomModel.Code(close: close).map { !$0.reconnects } ?? false
                self.connection.failed(RoomClientError(close), isFinal: isFinal)
            case .failed(let fault): self.connection.failed(Self.noFrame(fault.text))
            }
        }
    }

    private func read(_ frame: ByteBuffer) {
        do throws(BrokerFrameError) {
            self.connection.received(try self.decoder.decode(frame))
        } catch {
            let isHTTP = self.webSocket == nil && frame.readableBytesView.starts(with: "HTTP/1.".utf8)
            self.connection.failed(Self.noFrame(isHTTP ? Self.httpPort : error.text))
        }
    }

    private static let httpPort =
        "this is an HTTP port; use ws:// or wss:// for it, or the port for tcp:// and tls://, by default 10000"

    private func refused(_ refusal: UpgradeRefusal) {
        self.connection.failed(RoomClientError(refusal), isFinal: refusal.isFinal)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.connection.flush()
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let bytes = self.webSocket?.write(self.unwrapOutboundIn(data)) else {
            return context.write(data, promise: promise)
        }
        context.write(self.wrapOutboundOut(bytes), promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.connection.flush() }
    }

    // MARK: The end

    /// A WebSocket ends with a Close, and the broker ends the connection then; some proxies take half an end for a whole one.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let isFarewell = if case .output = mode { true } else { false }
        if let close = self.webSocket?.closing(isFarewell: isFarewell) {
            context.writeAndFlush(self.wrapOutboundOut(close), promise: nil)
        }
        if isFarewell, self.webSocket != nil { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard self.connection.isLinked(to: context.channel) else { return }
        if let refusal = self.webSocket?.ended() { return self.refused(refusal) }
        self.connection.failed(
            self.connection.isReady
                ? RoomClientError(.connectionLost, "the connection to the broker ended")
                : RoomClientError(.connectionFailed, self.silentEnd)
        )
    }

    private var silentEnd: String {
        let schemes = self.webSocket == nil ? "tls:// or tcp://" : "wss:// or ws://"
        return "the broker closed the connection before it answered: check whether the URL needs \(schemes)"
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.connection.isLinked(to: context.channel) {
            self.connection.failed(RoomClientError(connection: error, wasReady: self.connection.isReady, context))
        }
        context.close(promise: nil)
    }

    private static func noFrame(_ text: String) -> RoomClientError {
        RoomClientError(.protocolViolation, "the server does not speak the protocol of Roomline: \(text)")
    }
}
