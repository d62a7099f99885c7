import NIOCore
import NIOHTTP1

/// Takes one connection out of HTTP: takes the handlers of HTTP away, and hands the bare channel over with what has come
/// behind the request. Bound to the event loop of its connection.
struct HTTPDeparture {
    private let pacer: HTTPRequestPacer
    private let encoder: HTTPResponseEncoder
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let requests: HTTPRequestGuard

    init(
        _ pacer: HTTPRequestPacer,
        _ encoder: HTTPResponseEncoder,
        _ decoder: ByteToMessageHandler<HTTPRequestDecoder>,
        _ requests: HTTPRequestGuard
    ) {
        self.pacer = pacer
        self.encoder = encoder
        self.decoder = decoder
        self.requests = requests
    }

    /// - Parameters:
    ///   - answer: is written before the connection is handed over; `nil`: whoever takes over answers.
    ///   - handler: the last handler of HTTP, which got the request.
    ///   - accept: adds the handlers of what follows; called later, and not where the connection is gone by then.
    func leave(
        answering answer: ByteBuffer?,
        _ handler: HTTPRequestHandler,
        in channel: any Channel,
        accept: @escaping (any Channel) throws -> Void
    ) {
        self.pacer.beginUpgrade()
        var written = channel.eventLoop.makeSucceededVoidFuture()
        if let answer {
            guard let writing = self.pacer.write(answer) else { return }
            written = writing
        }
        let pipeline = channel.pipeline.syncOperations
        let remainder = UpgradeRemainder()
        do {
            try pipeline.addHandler(remainder, position: .after(self.decoder))
        } catch {
            return channel.close(promise: nil)
        }
        pipeline.removeHandler(handler, promise: nil)
        pipeline.removeHandler(self.requests, promise: nil)
        // the parser goes in a later turn of the loop, and passes on what it holds of the client's first frames
        let parserRemoved = pipeline.removeHandler(self.decoder)
        // whoever takes over may write to the socket itself
        written.and(parserRemoved).assumeIsolated().whenComplete { _ in self.handOver(channel, remainder, accept) }
    }

    private func handOver(
        _ channel: any Channel,
        _ remainder: UpgradeRemainder,
        _ accept: (any Channel) throws -> Void
    ) {
        guard channel.isActive else { return }
        let pipeline = channel.pipeline.syncOperations
        let rest = self.pacer.takeRest()
        pipeline.removeHandler(self.encoder, promise: nil)
        pipeline.removeHandler(self.pacer, promise: nil)
        do {
            try accept(channel)
        } catch {
            return channel.close(promise: nil)
        }
        remainder.passOn(rest.bytes, isAll: rest.isAll)
        pipeline.removeHandler(remainder, promise: nil)
        // HTTP reads nothing more while it has something to do
        channel.read()
    }
}

/// Holds what the client has sent behind its request, until there is a handler for it.
private final class UpgradeRemainder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var bytes = ByteBuffer()
    /// `nil` outside of a pipeline.
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.bytes.writeImmutableBuffer(self.unwrapInboundIn(data))
    }

    /// - Parameters:
    ///   - more: comes behind what it holds.
    ///   - isAll: the client sends nothing else.
    func passOn(_ more: ByteBuffer?, isAll: Bool) {
        guard let context else { return }
        var bytes = self.bytes
        if let more { bytes.writeImmutableBuffer(more) }
        if bytes.readableBytes > 0 {
            context.fireChannelRead(self.wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        if isAll { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }
}
