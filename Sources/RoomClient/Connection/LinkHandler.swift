import NIOCore
import RoomModel
import RoomWire

/// One connection's bytes in: lines become frames, and frames go to the client's core. What any channel but that of the
/// present connection says goes nowhere: an earlier one, or one to another of the broker's addresses, tried at the same time.
final class LinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let core: ClientCore
    private let decoder = BrokerFrameDecoder()
    private var framer: LineFramer

    init(core: ClientCore) {
        self.core = core
        var limits = FrameLimits()
        // A page of the history, or the members of a large room, are the longest lines.
        limits.line = Self.longestLine
        limits.endlessLine = Self.longestLine
        self.framer = LineFramer(limits: limits)
    }

    private static let longestLine = 16 * 1024 * 1024

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel
        guard self.core.isLinked(to: channel) else { return }
        self.core.heard()
        self.framer.append(self.unwrapInboundIn(data))
        while self.core.isLinked(to: channel), let line = self.framer.next() {
            switch line {
            case .line(let line): self.read(line)
            case .tooLong, .endless: self.core.failed(Self.noFrame("a line is longer than 16 MiB"))
            }
        }
    }

    private func read(_ line: ByteBuffer) {
        do throws(BrokerFrameError) {
            self.core.received(try self.decoder.decode(line))
        } catch {
            self.core.failed(Self.noFrame(error.text))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.core.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.core.flush() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard self.core.isLinked(to: context.channel) else { return }
        self.core.failed(
            self.core.isReady
                ? RoomClientError(.connectionLost, "the connection to the broker ended")
                : RoomClientError(
                    .connectionFailed,
                    "the connection ended before the broker had answered: does it want tls:// there, or tcp://?"
                )
        )
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.core.isLinked(to: context.channel) {
            self.core.failed(RoomClientError(connection: error, wasReady: self.core.isReady))
        }
        context.close(promise: nil)
    }

    private static func noFrame(_ text: String) -> RoomClientError {
        RoomClientError(.protocolViolation, "what answers there does not speak Roomline's protocol: \(text)")
    }
}
