import NIOCore
import NIOHTTP1
import RoomCore

/// Has each request answered in a task of its own, and writes the answers. The guard before it passes on whole requests,
/// one at a time. Bound to the event loop of its connection.
///
/// A task whose client has gone runs to its end, so that nothing is done by half; only a streamed body is cancelled.
final class HTTPRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let respond: @Sendable (HTTPRequest, Problem?) async -> HTTPResponse
    /// Counts the tasks.
    private let tasks: OpenCount
    /// `nil`: nobody can leave HTTP here.
    private let upgrader: WebSocketUpgrader?
    private let events: EventStreamOpener?
    /// Told of what ends the connection, where that is not a request.
    var onError: (any Error) -> Void = { _ in }
    private var received: (head: HTTPRequestHead, body: ByteBuffer?)?
    private var task: Task<Void, Never>?
    private var isStreaming = false
    /// The head of an answer that is streamed, until its first part is there.
    private var head: HTTPResponseHead?
    /// Bytes that a streamed body still has to have; `nil`: as many as there will be.
    private var unwritten: Int?
    /// The promise that a streamed body waits for.
    private var untilWritable: EventLoopPromise<Void>?
    /// `nil` outside of a pipeline.
    fileprivate var context: ChannelHandlerContext?

    /// - Parameter respond: gets a problem where the request is refused already.
    init(
        tasks: OpenCount = OpenCount(),
        upgrader: WebSocketUpgrader? = nil,
        events: EventStreamOpener? = nil,
        respond: @escaping @Sendable (HTTPRequest, Problem?) async -> HTTPResponse
    ) {
        self.respond = respond
        self.tasks = tasks
        self.upgrader = upgrader
        self.events = events
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.onError(error)
        context.close(promise: nil)
    }

    private func end() {
        self.context = nil
        if self.isStreaming { self.task?.cancel() }
        self.task = nil
        self.untilWritable.take()?.fail(ChannelError.ioOnClosedChannel)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.received = (head, nil)
        case .body(let body): self.received?.body = body
        case .end:
            guard let received = self.received.take() else { return }
            self.requestReceived(received.head, received.body, context)
        }
    }

    private func requestReceived(_ head: HTTPRequestHead, _ body: ByteBuffer?, _ context: ChannelHandlerContext) {
        let request = HTTPRequest(head, body: body)
        if let events, events.isFor(request) {
            guard let problem = events.open(request, hasBody: body != nil, self, in: context.channel) else { return }
            return self.answer(request, head.version, refusing: problem, context)
        }
        guard let upgrader, let upgrade = WebSocketAnswer(head, hasBody: body != nil) else {
            return self.answer(request, head.version, refusing: nil, context)
        }
        switch upgrade {
        case .refused(let problem): self.answer(request, head.version, refusing: problem, context)
        case .accepted(let proof):
            guard let problem = upgrader.upgrade(request, proof: proof, self, in: context.channel) else { return }
            self.answer(request, head.version, refusing: problem, context)
        }
    }

    private func answer(
        _ request: HTTPRequest,
        _ version: HTTPVersion,
        refusing problem: Problem?,
        _ context: ChannelHandlerContext
    ) {
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.tasks.opened()
        self.task = Task { [respond, tasks, eventLoop = context.eventLoop] in
            let response = await respond(request, problem)
            await response.write(version, to: connection, on: eventLoop)
            tasks.closed()
        }
    }

    // MARK: Answers

    /// An answer is streamed from now on.
    ///
    /// - Parameter length: that of the body; `nil`: it comes in chunks.
    fileprivate func begin(_ head: HTTPResponseHead, length: Int?) {
        self.isStreaming = true
        self.head = head
        self.unwritten = length
    }

    /// A part of an answer that is streamed.
    ///
    /// - Returns: done when the peer takes more.
    fileprivate func write(_ part: ByteBuffer) -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        if let unwritten { self.unwritten = unwritten - part.readableBytes }
        if let head = self.head.take() { context.write(self.wrapOutboundOut(.head(head)), promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
        guard !context.channel.isWritable else { return context.eventLoop.makeSucceededVoidFuture() }
        let promise = self.untilWritable ?? context.eventLoop.makePromise()
        self.untilWritable = promise
        return promise.futureResult
    }

    /// All of an answer, or the end of one that is streamed.
    fileprivate func finish(_ head: HTTPResponseHead?, _ body: ByteBuffer?) {
        guard let context else { return }
        self.task = nil
        self.isStreaming = false
        // the next answer would be read as the rest of this one
        if let missing = self.unwritten.take(), missing != 0 { return context.close(promise: nil) }
        if let head = head ?? self.head.take() { context.write(self.wrapOutboundOut(.head(head)), promise: nil) }
        if let body { context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.untilWritable.take()?.succeed() }
        context.fireChannelWritabilityChanged()
    }
}

extension HTTPResponse {
    /// Writes with one hop to the event loop where the body is one buffer, otherwise part by part, as fast as the peer takes
    /// them.
    fileprivate func write(
        _ version: HTTPVersion,
        to connection: NIOLoopBound<HTTPRequestHandler>,
        on eventLoop: any EventLoop
    ) async {
        let head = self.head(version)
        switch self.body {
        case .empty: eventLoop.execute { connection.value.finish(head, nil) }
        case .bytes(let bytes): eventLoop.execute { connection.value.finish(head, bytes) }
        case .stream(let length, let stream):
            eventLoop.execute { connection.value.begin(head, length: length) }
            do {
                try await stream { part in
                    try await eventLoop.flatSubmit {
                        connection.value.write(part) ?? eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                    }.get()
                }
                eventLoop.execute { connection.value.finish(nil, nil) }
            } catch {
                // The peer has gone, or the rest cannot be had: then it has to see that the answer is cut off.
                eventLoop.execute { connection.value.context?.close(promise: nil) }
            }
        }
    }
}
