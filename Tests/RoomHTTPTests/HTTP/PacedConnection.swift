import NIOCore
import NIOEmbedded
import NIOHTTP1
import RoomDelivery
import RoomModel

@testable import RoomHTTP

/// One HTTP connection as far as the handler of its requests, which answers when the test says so.
final class PacedConnection {
    let channel: EmbeddedChannel
    let pacer: HTTPRequestPacer
    let requestGuard: HTTPRequestGuard
    private let requests = Requests()
    private let socket = Socket()
    private let load: HTTPLoad
    let work = RequestWork()

    init(
        turns: HTTPTurns,
        loop: EmbeddedEventLoop,
        load: HTTPLoad = HTTPLoad(),
        address: IPAddress? = nil,
        isProxy: Bool = false
    ) throws {
        self.channel = EmbeddedChannel(loop: loop)
        self.load = load
        let limits = HTTPLimits()
        let requestGuard = HTTPRequestGuard(
            limits: limits,
            drain: DrainSignal(),
            slot: HTTPLoad.Slot(load),
            date: { "now" }
        )
        self.requestGuard = requestGuard
        self.pacer = HTTPRequestPacer(
            requestGuard,
            turns: turns,
            work: self.work,
            address: address,
            isProxy: isProxy,
            limits: limits
        )
        let pipeline = self.channel.pipeline.syncOperations
        try pipeline.addHandler(self.socket)
        try pipeline.addHandler(self.pacer)
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
        try pipeline.addHandler(requestGuard)
        try pipeline.addHandler(self.requests)
        try self.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// The requests that were handed over, as path and body.
    var handedOver: [String] { self.requests.paths }

    func send(_ text: String) throws {
        try self.channel.writeInbound(ByteBuffer(string: text))
    }

    /// - Parameter isRead: whether the answer goes out; otherwise it waits for `readAnswers`.
    func answer(isRead: Bool = true) throws {
        self.socket.isHolding = !isRead
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
        self.channel.pipeline.syncOperations.writeAndFlush(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        self.channel.pipeline.syncOperations.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
    }

    func readAnswers() { self.socket.release() }

    /// Whether the connection asked for more bytes since the last time.
    func readsMore() -> Bool {
        defer { self.socket.reads = 0 }
        return self.socket.reads > 0
    }

    private final class Requests: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        private(set) var paths: [String] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch self.unwrapInboundIn(data) {
            case .head(let head): self.paths.append(head.uri)
            case .body(let body): self.paths[self.paths.count - 1] += " " + String(buffer: body)
            case .end: break
            }
        }
    }

    /// A peer that reads when it likes.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var isHolding = false
        var reads = 0
        private var held: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard self.isHolding else { return context.write(data, promise: promise) }
            if let promise { self.held.append(promise) }
        }

        func read(context: ChannelHandlerContext) {
            self.reads += 1
        }

        func release() {
            self.isHolding = false
            for promise in self.held { promise.succeed() }
            self.held = []
        }
    }
}
