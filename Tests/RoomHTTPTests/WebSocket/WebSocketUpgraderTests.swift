import NIOCore
import NIOEmbedded
import NIOHTTP1
import RoomModel
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

/// One HTTP connection with all its handlers, on which a WebSocket may begin.
private final class UpgradeBench {
    let loop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let load = HTTPLoad()
    var refusal: Problem?
    let received = Received()
    private(set) weak var requests: HTTPRequestGuard?
    private(set) weak var pacer: HTTPRequestPacer?
    private(set) var peers: [StreamPeer] = []
    private let flows = FairQueue(wake: {}, isLoopIdle: { true })

    init(limits: HTTPLimits = HTTPLimits()) throws {
        self.channel = EmbeddedChannel(loop: self.loop)
        let turns = HTTPTurns(eventLoop: self.loop, flows: self.flows)
        let slot = HTTPLoad.Slot(self.load)
        let requests = HTTPRequestGuard(limits: limits, drain: DrainSignal(), slot: slot, date: { "now" })
        let pacer = HTTPRequestPacer(requests, turns: turns, work: RequestWork(), address: nil, limits: limits)
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        let departure = HTTPDeparture(pacer, encoder, decoder, requests)
        let upgrader = WebSocketUpgrader(departure) { [weak self] request throws(Problem) in
            if let problem = self?.refusal { throw problem }
            _ = slot.enter(IPAddress("192.0.2.1"))
            return StreamPeer(
                address: nil,
                page: WebPage(request, isOnThisMachineOnly: true),
                isTLS: false
            )
        } accept: { [weak self] channel, peer in
            guard let self else { return }
            self.peers.append(peer)
            try channel.pipeline.syncOperations.addHandler(self.received)
        }
        let handler = HTTPRequestHandler(upgrader: upgrader) { _, _ in HTTPResponse.json(ByteBuffer(string: "{}")) }
        let handlers: [any ChannelHandler] = [pacer, encoder, decoder, requests, handler]
        try self.channel.pipeline.syncOperations.addHandlers(handlers)
        (self.requests, self.pacer) = (requests, pacer)
        try self.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func send(_ text: String) throws {
        try self.channel.writeInbound(ByteBuffer(string: text))
    }

    /// The loop has run until nothing is left to do.
    func run() {
        self.loop.run()
        self.flows.serve()
        self.loop.run()
    }

    var answer: String {
        get throws {
            var text = ""
            while let bytes = try self.channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }
    }

    final class Received: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private(set) var text = ""
        private(set) var hasEnded = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { self.hasEnded = true }
        }
    }
}

@Suite struct WebSocketUpgraderTests {
    private static let handshake = """
        GET /v3/websocket HTTP/1.1\r
        Host: server.example.com\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Origin: http://page.example\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \r\n
        """
    private static let answer = """
        HTTP/1.1 101 Switching Protocols\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
        \r\n
        """

    @Test func `the connection is handed over without anything of HTTP`() throws {
        let bench = try UpgradeBench()
        try bench.send(Self.handshake)
        bench.run()
        #expect(try bench.answer == Self.answer)
        #expect(bench.peers.map { $0.page?.isOwn } == [false])
        #expect(bench.requests == nil && bench.pacer == nil)
        #expect(bench.load.addresses == 0, "it is not a request any more")
        try bench.send("frame")
        #expect(bench.received.text == "frame")
        bench.loop.advanceTime(by: .hours(1))
        #expect(bench.channel.isActive)
    }

    @Test func `what comes behind the request is the WebSocket's, however it is cut`() throws {
        let bytes = Self.handshake + "\r\n\nGET / HTTP/1.1\r\n\r\n"
        for length in 1...bytes.utf8.count {
            let bench = try UpgradeBench()
            var rest = Array(bytes.utf8)[...]
            while !rest.isEmpty {
                try bench.channel.writeInbound(ByteBuffer(bytes: rest.prefix(length)))
                rest = rest.dropFirst(length)
                if length % 2 == 0 { bench.run() }
            }
            bench.run()
            #expect(bench.received.text == "\r\n\nGET / HTTP/1.1\r\n\r\n")
            #expect(try bench.answer == Self.answer)
        }
    }

    @Test func `the end behind the request is the WebSocket's, too`() throws {
        let bench = try UpgradeBench()
        try bench.send(Self.handshake + "frame")
        bench.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        bench.run()
        #expect(bench.received.text == "frame" && bench.received.hasEnded)
    }

    @Test func `a connection that goes before it is handed over is not`() throws {
        let bench = try UpgradeBench()
        try bench.send(Self.handshake)
        bench.channel.close(promise: nil)
        bench.run()
        #expect(bench.peers.isEmpty)
    }

    @Test func `a head that takes too long is told so, and one byte does not put that off`() throws {
        let bench = try UpgradeBench()
        for byte in Self.handshake.prefix(9) {
            try bench.send(String(byte))
            bench.loop.advanceTime(by: .seconds(1))
        }
        #expect(try bench.answer == "")
        bench.loop.advanceTime(by: .seconds(1))
        #expect(try bench.answer.hasPrefix("HTTP/1.1 408 "))
        bench.loop.advanceTime(by: .seconds(1))
        #expect(!bench.channel.isActive)
    }
}
