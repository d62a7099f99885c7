import NIOCore
import NIOEmbedded
import RoomModel
import RoomWire

/// The broker's end of one connection: cuts the client's bytes into lines, and knows half-closing, which the channel does not.
/// Every event is handled after the client's code that caused it has returned.
final class FakeLink: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    let channel: NIOAsyncTestingChannel
    /// `nil` before the handshake.
    var session: FakeSession?
    private unowned let core: FakeBrokerCore
    private var framer = LineFramer(limits: FrameLimits())

    init(_ channel: NIOAsyncTestingChannel, core: FakeBrokerCore) {
        self.channel = channel
        self.core = core
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.framer.append(self.unwrapOutboundIn(data))
        while case .line(let line) = self.framer.next() { self.later { $0.core.received(line, from: $0) } }
        promise?.succeed(())
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard case .output = mode else {
            self.later { $0.core.lost($0) }
            return context.close(mode: mode, promise: promise)
        }
        promise?.succeed(())
        self.later { $0.core.ended($0) }
    }

    private func later(_ work: @escaping @Sendable (FakeLink) -> Void) {
        let bound = NIOLoopBound(self, eventLoop: self.channel.eventLoop)
        self.channel.eventLoop.execute { work(bound.value) }
    }

    /// Sends the client bytes that are whole lines.
    func send(_ lines: ByteBuffer) {
        guard self.channel.isActive else { return }
        self.channel.pipeline.fireChannelRead(lines)
        self.channel.pipeline.fireChannelReadComplete()
    }
}

/// One client or other member, over all of its connections. Confined to the event loop.
final class FakeSession {
    let id: ClientID
    let resumeToken: String
    var clientData: ByteBuffer?
    /// `nil` without a connection, and for members that the test plays.
    var link: FakeLink?
    let isPlayed: Bool

    init(id: ClientID, resumeToken: String, clientData: ByteBuffer?, isPlayed: Bool) {
        self.id = id
        self.resumeToken = resumeToken
        self.clientData = clientData
        self.isPlayed = isPlayed
    }

    var sender: Sender { .member(self.id, clientData: self.clientData) }
}
