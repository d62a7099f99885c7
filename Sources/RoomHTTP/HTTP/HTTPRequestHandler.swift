import HTTPTypes
import Hummingbird
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

    private let respond: @Sendable (Request, Problem?) async -> Response
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
    /// The promise that a streamed body waits for.
    private var untilWritable: EventLoopPromise<Void>?
    /// `nil` outside of a pipeline.
    private var context: ChannelHandlerContext?

    /// - Parameter respond: gets a problem where the request is refused already.
    init(
        tasks: OpenCount = OpenCount(),
        upgrader: WebSocketUpgrader? = nil,
        events: EventStreamOpener? = nil,
        respond: @escaping @Sendable (Request, Problem?) async -> Response
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
        // the parser knows no others
        guard let request = Request(head, body: body) else { return context.close(promise: nil) }
        if let events, events.isFor(request) {
            guard let problem = events.open(request, hasBody: body != nil, self, in: context.channel) else { return }
            return self.answer(request, head.version, refusing: problem, context)
        }
        guard let upgrader, let upgrade = WebSocketUpgrade(head, hasBody: body != nil) else {
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
        _ request: Request,
        _ version: HTTPVersion,
        refusing problem: Problem?,
        _ context: ChannelHandlerContext
    ) {
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.tasks.opened()
        self.task = Task { [respond, tasks, eventLoop = context.eventLoop] in
            let response = await respond(request, problem)
            do {
                try await response.body.write(
                    HTTPResponseWriter(response, version: version, to: connection, eventLoop: eventLoop)
                )
            } catch {
                // The peer has gone, or the rest cannot be had: then it has to see that the answer is cut off.
                eventLoop.execute { connection.value.context?.close(promise: nil) }
            }
            tasks.closed()
        }
    }

    // MARK: Answers

    /// A part of an answer that is streamed.
    ///
    /// - Parameter head: `nil` if it is written already.
    /// - Returns: done when the peer takes more.
    func write(_ head: HTTPResponseHead?, _ part: ByteBuffer) -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        self.isStreaming = true
        if let head { context.write(self.wrapOutboundOut(.head(head)), promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
        guard !context.channel.isWritable else { return context.eventLoop.makeSucceededVoidFuture() }
        let promise = self.untilWritable ?? context.eventLoop.makePromise()
        self.untilWritable = promise
        return promise.futureResult
    }

    /// All of an answer, or the end of one that is streamed.
    func finish(_ head: HTTPResponseHead?, _ part: ByteBuffer?, _ trailers: HTTPHeaders?) {
        guard let context else { return }
        self.task = nil
        self.isStreaming = false
        if let head { context.write(self.wrapOutboundOut(.head(head)), promise: nil) }
        if let part { context.write(self.wrapOutboundOut(.body(.byteBuffer(part))), promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.end(trailers)), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.untilWritable.take()?.succeed() }
        context.fireChannelWritabilityChanged()
    }
}
