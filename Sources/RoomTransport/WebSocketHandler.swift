package import NIOCore
package import RoomCore
package import RoomDelivery
package import RoomModel
import RoomWire

/// The channel's side of one WebSocket, from behind the answer to its upgrade on. Its duties:
///
/// 1. make the `Connection` that speaks to the shard;
/// 2. cut what the client sends into messages, and give them to the connection in order (`WebSocketReader`);
/// 3. read only as fast as they are handled, in the connection's turns, and their replies are read (`InputFlow`);
/// 4. count as silent at the gate, until the first message has begun;
/// 5. tell the connection when the client's Close has come, when the input has ended, and when the channel is gone.
///
/// The HTTP side has asked the gate for a place, and counts the connection out.
package final class WebSocketHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let shard: RoomShard
    private let settings: ConnectionSettings
    private let gate: ConnectionGate
    private let address: IPAddress?
    private let page: WebPage?
    private let makesDirectWriter: (ChannelHandlerContext) -> (any DirectWriter)?
    private var connection: Connection?
    private var context: ChannelHandlerContext?
    private var reader: WebSocketReader?
    private var flow = InputFlow()
    /// The session has ended: so many bytes more are searched for the client's Close, and the others are read off. `nil`
    /// before that.
    private var closingBytesLeft: Int?
    private var isCountedSilent = false

    /// The most bytes that a client may have on its way when its session ends.
    private static let closingBytes = 256 * 1_024

    /// - Parameters:
    ///   - gate: counts those that have sent nothing yet.
    ///   - address: of the peer, or of the client that a proxy speaks for.
    ///   - page: the web page that has sent the request; `nil`: none.
    ///   - makesDirectWriter: called when the handler is added to an active channel. All that was written to the channel
    ///     before has to be written out by then.
    package init(
        shard: RoomShard,
        settings: ConnectionSettings,
        gate: ConnectionGate,
        address: IPAddress?,
        page: WebPage?,
        makesDirectWriter: @escaping (ChannelHandlerContext) -> (any DirectWriter)?
    ) {
        self.shard = shard
        self.settings = settings
        self.gate = gate
        self.address = address
        self.page = page
        self.makesDirectWriter = makesDirectWriter
    }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { self.serve(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        if self.context == nil { self.serve(context) }
        context.fireChannelActive()
    }

    private func serve(_ context: ChannelHandlerContext) {
        self.context = context
        let connection = self.shard.makeConnection(
            channel: context.channel,
            direct: self.makesDirectWriter(context),
            address: self.address
        )
        connection.wireFormat = .webSocket
        connection.page = self.page
        self.connection = connection
        let badLines = BadLines(perSecond: self.settings.badFrameRate, eventLoop: self.shard.eventLoop)
        self.reader = WebSocketReader(limits: self.settings.frames, badLines: badLines)
        connection.onEvent = { [weak self] event in
            switch event {
            case .ready: self?.process()
            case .ended: self?.discard()
            case .silent: break
            }
        }
        self.isCountedSilent = self.gate.mayBeSilent()
        connection.setHandshakeDeadline(in: self.settings.handshakeTime)
        // The HTTP side reads as it needs. It fails on a channel that is closing, where it does not matter any more.
        try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.hasSpoken()
        self.connection?.closed()
        self.connection = nil
        self.context = nil
        self.reader = nil
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.connection?.failed(error)
        context.close(promise: nil)
    }

    private func hasSpoken() {
        guard self.isCountedSilent else { return }
        self.isCountedSilent = false
        self.gate.hasSpoken()
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        guard let connection, let reader else { return }
        connection.heardFromPeer()
        if let left = self.closingBytesLeft {
            self.closingBytesLeft = left - bytes.readableBytes
            guard left >= bytes.readableBytes else { return }
            reader.append(bytes)
            reader.lookForClose(connection)
            return
        }
        reader.append(bytes)
        self.run(self.flow.received(bytes.readableBytes, behindWait: reader.isWaiting))
        self.process()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            self.flow.inputEnded()
            self.process()
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func run(_ action: InputFlow.Action) {
        if action.awaitsReplies { self.connection?.holdsReading() }
        if let isReading = action.setsReading {
            // It fails on a channel that is closing, where it does not matter any more.
            try? self.context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
        }
        if action.endsInput { self.connection?.inputEnded() }
    }

    /// Handles what was read, until a message has to wait or the others have to have their turn.
    private func process() {
        guard let connection, let reader else { return }
        var progress = InputFlow.Progress.through
        if self.closingBytesLeft == nil {
            progress = self.shard.flows.inTurn(connection) { reader.process(connection) }
            if reader.hasEnded { self.flow.inputEnded() }
            if reader.hasBegun { self.hasSpoken() }
        }
        self.run(self.flow.processed(progress, isBackedUp: connection.isBackedUp))
        guard self.closingBytesLeft == nil else { return connection.holds(input: 0) }
        // whole messages that wait for their turn are not the client's fault
        connection.holds(input: progress == .through ? reader.heldBytes : reader.unfinishedBytes)
    }

    private func discard() {
        guard let connection, let reader else { return }
        self.closingBytesLeft = Self.closingBytes
        self.run(self.flow.discard())
        reader.lookForClose(connection)
    }
}
