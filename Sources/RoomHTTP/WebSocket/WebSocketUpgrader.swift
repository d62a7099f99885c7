import Hummingbird
import NIOCore
import NIOHTTP1

/// Makes one HTTP connection a WebSocket: asks whether it may be one, answers 101, takes the handlers of HTTP away, and
/// hands the connection over. Bound to the event loop of its connection.
final class WebSocketUpgrader {
    private let pacer: HTTPRequestPacer
    private let encoder: HTTPResponseEncoder
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let requests: HTTPRequestGuard
    private let admit: (Request) throws(Problem) -> WebSocketPeer
    private let accept: (any Channel, WebSocketPeer) throws -> Void

    /// - Parameters:
    ///   - admit: gives the connection its place among the WebSockets, or says why there is none.
    ///   - accept: adds the handlers of the WebSocket.
    init(
        _ pacer: HTTPRequestPacer,
        _ encoder: HTTPResponseEncoder,
        _ decoder: ByteToMessageHandler<HTTPRequestDecoder>,
        _ requests: HTTPRequestGuard,
        admit: @escaping (Request) throws(Problem) -> WebSocketPeer,
        accept: @escaping (any Channel, WebSocketPeer) throws -> Void
    ) {
        self.pacer = pacer
        self.encoder = encoder
        self.decoder = decoder
        self.requests = requests
        self.admit = admit
        self.accept = accept
    }

    /// - Parameter handler: the last handler of HTTP, which got the request.
    /// - Returns: why the connection stays as it is.
    func upgrade(_ request: Request, proof: String, _ handler: HTTPRequestHandler, in channel: any Channel) -> Problem?
    {
        let peer: WebSocketPeer
        do throws(Problem) {
            peer = try self.admit(request)
        } catch {
            return error
        }
        self.pacer.beginUpgrade()
        guard let written = self.pacer.write(Self.answer(proof)) else { return nil }
        let pipeline = channel.pipeline.syncOperations
        let remainder = UpgradeRemainder()
        do {
            try pipeline.addHandler(remainder, position: .after(self.decoder))
        } catch {
            channel.close(promise: nil)
            return nil
        }
        pipeline.removeHandler(handler, promise: nil)
        pipeline.removeHandler(self.requests, promise: nil)
        // the parser goes in a later turn of the loop, and passes on what it holds of the client's first frames
        let parserRemoved = pipeline.removeHandler(self.decoder)
        // whoever takes over may write to the socket itself
        written.and(parserRemoved).assumeIsolated().whenComplete { _ in self.handOver(channel, peer, remainder) }
        return nil
    }

    private static func answer(_ proof: String) -> ByteBuffer {
        ByteBuffer(
            string: """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: \(proof)\r
                \r\n
                """
        )
    }

    private func handOver(_ channel: any Channel, _ peer: WebSocketPeer, _ remainder: UpgradeRemainder) {
        guard channel.isActive else { return }
        let pipeline = channel.pipeline.syncOperations
        let rest = self.pacer.takeRest()
        pipeline.removeHandler(self.encoder, promise: nil)
        pipeline.removeHandler(self.pacer, promise: nil)
        do {
            try self.accept(channel, peer)
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
