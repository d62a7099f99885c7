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

    init(channel: any Channel) {
        self.channel = channel
    }
}

/// One connection's bytes in: lines become frames, and frames go to the client. Bytes from every other channel than the
/// present connection's are ignored: from an earlier one, or from one to another address of the broker that was tried at the
/// same time.
final class LinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: BrokerConnection
    private let decoder = BrokerFrameDecoder()
    private var framer: LineFramer

    init(_ connection: BrokerConnection) {
        self.connection = connection
        var limits = FrameLimits()
        // A page of the history, or the members of a large room, are the longest lines.
        limits.line = Self.longestLine
        limits.endlessLine = Self.longestLine
        self.framer = LineFramer(limits: limits)
    }

    private static let longestLine = 16 * 1024 * 1024

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel
        guard self.connection.isLinked(to: channel) else { return }
        self.connection.heard()
        self.framer.append(self.unwrapInboundIn(data))
        while self.connection.isLinked(to: channel), let line = self.framer.next() {
            switch line {
            case .line(let line): self.read(line)
            case .tooLong, .endless: self.connection.failed(Self.noFrame("a line is longer than 16 MiB"))
            }
        }
    }

    private func read(_ line: ByteBuffer) {
        do throws(BrokerFrameError) {
            self.connection.received(try self.decoder.decode(line))
        } catch {
            self.connection.failed(Self.noFrame(error.text))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.connection.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.connection.flush() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard self.connection.isLinked(to: context.channel) else { return }
        self.connection.failed(
            self.connection.isReady
                ? RoomClientError(.connectionLost, "the connection to the broker ended")
                : RoomClientError(
                    .connectionFailed,
                    "the broker closed the connection before it answered: check whether the URL needs tls:// or tcp://"
                )
        )
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.connection.isLinked(to: context.channel) {
            self.connection.failed(RoomClientError(connection: error, wasReady: self.connection.isReady))
        }
        context.close(promise: nil)
    }

    private static func noFrame(_ text: String) -> RoomClientError {
        RoomClientError(.protocolViolation, "the server does not speak the protocol of Roomline: \(text)")
    }
}
