import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RoomClient

/// One connection to the admin API: a request, then its response, piece by piece as they are asked for.
struct AdminConnection: Sendable {
    /// Why a connection has ended, where neither the system nor TLS says so.
    enum Failure: String, Error, CustomStringConvertible {
        case closed = "the connection was closed"
        /// Before the response has begun.
        case unanswered = "the connection was closed without an answer"
        case tooLarge = "the response is too large"
        case timedOut = "timed out"

        var description: String { self.rawValue }
    }

    private static let connectTimeout = TimeAmount.seconds(10)

    private let channel: any Channel
    private let reader: NIOLoopBound<ResponseReader>

    /// Tries once: somebody waits for the answer, which may be that no broker runs.
    ///
    /// - Parameter tls: what an `https` address needs.
    static func open(_ address: AdminAddress, tls: NIOSSLContext?) async throws -> AdminConnection {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(Self.connectTimeout)
            // Bytes that are not asked for stay in the socket: a backup does not gather in memory.
            .channelOption(.autoRead, value: false)
        switch address {
        case .socket(let path):
            return try await bootstrap.connect(unixDomainSocketPath: path) { Self.prepare($0, host: nil, tls: nil) }
        case .server(let server):
            return try await bootstrap.connect(host: server.host, port: server.port) {
                Self.prepare($0, host: server.host, tls: tls)
            }
        }
    }

    private static func prepare(
        _ channel: any Channel,
        host: String?,
        tls: NIOSSLContext?
    ) -> EventLoopFuture<AdminConnection> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let host, let tls {
                // RFC 6066 §3 allows no literal addresses in the server name indication.
                let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
                try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
            }
            try pipeline.addHTTPClientHandlers()
            let reader = ResponseReader(on: channel.eventLoop)
            try pipeline.addHandler(reader)
            return AdminConnection(channel: channel, reader: NIOLoopBound(reader, eventLoop: channel.eventLoop))
        }
    }

    var isActive: Bool { self.channel.isActive }

    /// Drops the connection, without waiting for anything.
    func abandon() { self.channel.close(promise: nil) }

    /// Sends a request, and returns the head of its response.
    func send(_ head: HTTPRequestHead, body: ByteBuffer?) async throws -> HTTPResponseHead {
        // A write that fails closes the connection; whoever reads is told.
        self.channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body { self.channel.write(HTTPClientRequestPart.body(.byteBuffer(body)), promise: nil) }
        self.channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        do {
            guard case .head(let head) = try await self.next() else { throw Failure.closed }
            return head
        } catch let error where error is IOError || error is ChannelError || error as? Failure == .closed {
            throw Failure.unanswered
        }
    }

    /// The next piece of the body of the response; `nil` at its end.
    func piece() async throws -> ByteBuffer? {
        guard case .body(let piece) = try await self.next() else { return nil }
        return piece
    }

    /// The whole body.
    func body(upTo limit: Int) async throws -> ByteBuffer {
        var body = ByteBuffer()
        while let piece = try await self.piece() {
            guard body.readableBytes + piece.readableBytes <= limit else { throw Failure.tooLarge }
            body.writeImmutableBuffer(piece)
        }
        return body
    }

    /// Does something that takes a limited time, as ``cancelling(_:)`` does.
    func within<Value>(_ limit: TimeAmount, _ work: () async throws -> Value) async throws -> Value {
        let deadline = self.channel.eventLoop.scheduleTask(in: limit) { self.reader.value.end(Failure.timedOut) }
        defer { deadline.cancel() }
        return try await self.cancelling(work)
    }

    /// Does something that takes as long as it likes. A task that is cancelled loses the connection.
    func cancelling<Value>(_ work: () async throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler(operation: work) { self.channel.close(promise: nil) }
    }

    func close() async {
        // The end of TLS is an exchange, so its answer has to be read. A connection that fails here is closed already.
        try? await self.channel.setOption(.autoRead, value: true).get()
        try? await self.channel.close()
    }

    private func next() async throws -> HTTPClientResponsePart {
        try await self.channel.eventLoop.flatSubmit { self.reader.value.next() }.get()
    }
}

/// Hands on a part of a response for each demand, and reads from the socket only where there is one.
private final class ResponseReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let loop: any EventLoop
    private var context: ChannelHandlerContext?
    /// One read can bring several.
    private var parts: CircularBuffer<HTTPClientResponsePart> = []
    private var demand: EventLoopPromise<HTTPClientResponsePart>?
    private var failure: (any Error)?

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func next() -> EventLoopFuture<HTTPClientResponsePart> {
        if let part = self.parts.popFirst() { return self.loop.makeSucceededFuture(part) }
        if let failure { return self.loop.makeFailedFuture(failure) }
        let demand = self.loop.makePromise(of: HTTPClientResponsePart.self)
        self.demand = demand
        self.context?.read()
        return demand.futureResult
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        guard let demand else { return self.parts.append(part) }
        self.demand = nil
        demand.succeed(part)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if self.demand != nil { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.end(TLSFailure(error, context) ?? error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end(AdminConnection.Failure.closed)
    }

    /// The first reason is the one that is told.
    func end(_ error: any Error) {
        let isCut = error as? HTTPParserError == .invalidEOFState || error as? NIOSSLError == .uncleanShutdown
        let failure = self.failure ?? (isCut ? AdminConnection.Failure.closed : error)
        self.failure = failure
        self.context?.close(promise: nil)
        guard let demand else { return }
        self.demand = nil
        demand.fail(failure)
    }
}
