import NIOCore

/// A channel's end at a lane. Keeps what comes before there is one.
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var lane: ProxyLane?
    private var early = ByteBuffer()
    private var hasEnded = false
    /// Called with the first bytes, which come again on the lane.
    var onOpening: ((ByteBuffer) -> Void)?

    func attach(_ lane: ProxyLane) {
        self.lane = lane
        if self.early.readableBytes > 0 { lane.received(self.early) } else { lane.pump() }
        self.early = ByteBuffer()
        if self.hasEnded { lane.sourceEnded() }
    }

    func channelActive(context: ChannelHandlerContext) {
        if self.onOpening != nil { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        if let lane { return lane.received(bytes) }
        self.early.writeImmutableBuffer(bytes)
        let onOpening = self.onOpening
        self.onOpening = nil
        onOpening?(bytes)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return }
        self.hasEnded = true
        self.lane?.sourceEnded()
        // A client that says nothing is none.
        if self.onOpening != nil { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
