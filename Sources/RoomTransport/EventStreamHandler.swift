package import NIOCore
import RoomCore
package import RoomDelivery
package import RoomModel

/// The channel's side of one event stream, from behind the request for it on. Its duties:
///
/// 1. make the `Connection` that speaks to the shard, and answer the request;
/// 2. take what the client posts, which comes by other connections, and give it to the connection in order, in its turns
///    (`EventReader`);
/// 3. tell the connection when the client has gone.
///
/// The HTTP side has asked the gate, and counts the connection out.
package final class EventStreamHandler: ChannelInboundHandler, EventInlet {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let shard: RoomShard
    private let settings: ConnectionSettings
    private let address: IPAddress?
    private let page: WebPage?
    /// `nil` once the request is answered: a stream may last for long.
    private var answer: Answer?
    private let makesDirectWriter: (ChannelHandlerContext) -> (any DirectWriter)?
    private var connection: Connection?
    private var reader: EventReader?
    /// `nil`: nothing can be posted.
    private var secret: String?

    /// The request of the client, and the answers to it in HTTP.
    package struct Answer {
        /// The one room that the stream is for; `nil`: the client posts what it wants.
        package var room: EventStreamRoom?
        /// The head of the response, asked for where there is a stream.
        package var head: () -> ByteBuffer
        /// The whole response where there is none.
        package var refusal: (RequestError) -> ByteBuffer

        package init(
            room: EventStreamRoom?,
            head: @escaping () -> ByteBuffer,
            refusal: @escaping (RequestError) -> ByteBuffer
        ) {
            self.room = room
            self.head = head
            self.refusal = refusal
        }
    }

    /// - Parameters:
    ///   - address: of the peer, or of the client that a proxy speaks for.
    ///   - page: the web page that has sent the request; `nil`: none.
    ///   - makesDirectWriter: called when the handler is added to an active channel. All that was written to the channel
    ///     before has to be written out by then.
    package init(
        shard: RoomShard,
        settings: ConnectionSettings,
        address: IPAddress?,
        page: WebPage?,
        answer: Answer,
        makesDirectWriter: @escaping (ChannelHandlerContext) -> (any DirectWriter)?
    ) {
        self.shard = shard
        self.settings = settings
        self.address = address
        self.page = page
        self.answer = answer
        self.makesDirectWriter = makesDirectWriter
    }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { self.serve(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        if self.connection == nil { self.serve(context) }
        context.fireChannelActive()
    }

    private func serve(_ context: ChannelHandlerContext) {
        let connection = self.shard.makeConnection(
            channel: context.channel,
            direct: self.makesDirectWriter(context),
            address: self.address
        )
        connection.wireFormat = .events
        connection.page = self.page
        self.connection = connection
        connection.onEvent = { [weak self] event in
            switch event {
            case .ready: self?.process()
            case .ended: self?.endPosts()
            case .silent: break
            }
        }
        // The HTTP side reads as it needs. It fails on a channel that is closing, where it does not matter any more.
        try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        guard let answer = self.answer.take() else { return }
        if let room = answer.room {
            if let error = connection.beginEvents(room, head: answer.head) {
                connection.end(with: answer.refusal(error), code: error.code, reason: error.text)
            }
        } else {
            self.begin(connection, head: answer.head())
        }
    }

    private func begin(_ connection: Connection, head: ByteBuffer) {
        let badLines = BadLines(perSecond: self.settings.badFrameRate, eventLoop: self.shard.eventLoop)
        self.reader = EventReader(limits: self.settings.frames, badLines: badLines)
        let secret = self.shard.newEventSecret()
        self.secret = secret
        self.shard.eventInlets.add(self, secret: secret)
        connection.beginEvents(secret: secret, head: head)
        connection.setHandshakeDeadline(in: self.settings.handshakeTime)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.endPosts()
        self.connection?.closed()
        self.connection = nil
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.connection?.failed(error)
        context.close(promise: nil)
    }

    /// The session has ended, or its client has gone.
    private func endPosts() {
        if let secret = self.secret.take() { self.shard.eventInlets.remove(secret) }
        self.reader.take()?.end()
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // an answer without end is the last one of its connection
        self.connection?.goodbye(
            .wrongProtocol,
            reason: "nothing can follow the request for an event stream; post frames by another connection"
        )
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            self.endPosts()
            self.connection?.inputEnded()
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func take(_ post: EventPost) {
        guard let reader else { return post.completion(.sessionEnded) }
        let wasEmpty = reader.isEmpty
        reader.append(post)
        if wasEmpty { self.process() }
        self.connection?.holds(input: reader.waitingBytes)
    }

    /// Handles what was posted, until a frame has to wait or the others have to have their turn.
    private func process() {
        guard let connection, let reader, !reader.isEmpty else { return }
        let progress = self.shard.flows.inTurn(connection) { reader.process(connection) }
        if progress != .through, connection.isBackedUp { connection.holdsReading() }
        connection.holds(input: reader.waitingBytes)
    }
}
