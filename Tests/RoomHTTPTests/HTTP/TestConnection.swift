import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOHTTP1
import RoomCore
import RoomModel
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

/// One HTTP connection with all its handlers; requests are answered in tasks, as in the broker.
struct TestConnection {
    /// What the test sees of the peer's side.
    struct Peer {
        var received = ""
        var webSocketReceived = ""
    }

    let tasks = OpenCount()
    let channel: NIOAsyncTestingChannel
    private let peer = NIOLockedValueBox(Peer())

    /// - Parameter webSockets: why none is let in; `nil`: all are.
    init(
        limits: HTTPLimits = HTTPLimits(),
        drain: DrainSignal = DrainSignal(),
        refusingWebSockets problem: Problem? = nil,
        respond: @escaping @Sendable (HTTPRequest, Problem?) async -> HTTPResponse
    ) async throws {
        let channel = NIOAsyncTestingChannel()
        self.channel = channel
        let (tasks, peer) = (self.tasks, self.peer)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        try await channel.testingEventLoop.executeInContext {
            let flows = FairQueue(wake: {}, isLoopIdle: { true })
            let turns = HTTPTurns(eventLoop: channel.eventLoop, flows: flows)
            let slot = HTTPLoad.Slot(HTTPLoad())
            let requests = HTTPRequestGuard(limits: limits, drain: drain, slot: slot, date: { "now" })
            let pacer = HTTPRequestPacer(requests, turns: turns, work: RequestWork(), address: nil, limits: limits)
            let encoder = HTTPResponseEncoder()
            let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            let departure = HTTPDeparture(pacer, encoder, decoder, requests)
            let upgrader = WebSocketUpgrader(departure) { _ throws(Problem) in
                if let problem { throw problem }
                return StreamPeer(address: nil, page: nil, isTLS: false)
            } accept: { channel, _ in
                try channel.pipeline.syncOperations.addHandler(WebSocketEnd(peer))
            }
            let handlers: [any ChannelHandler] = [
                PeerEnd(peer, flows), pacer, encoder, decoder, requests,
                HTTPRequestHandler(tasks: tasks, upgrader: upgrader, respond: respond),
            ]
            try channel.pipeline.syncOperations.addHandlers(handlers)
            channel.pipeline.register(promise: nil)
            channel.connect(to: address, promise: nil)
        }
        await self.run()
    }

    func run() async { await self.channel.testingEventLoop.run() }

    func send(_ text: String) async throws {
        try await self.channel.testingEventLoop.executeInContext {
            self.channel.pipeline.fireChannelRead(ByteBuffer(string: text))
            self.channel.pipeline.fireChannelReadComplete()
        }
        await self.run()
    }

    /// The peer has half-closed the connection, the broker drains, or the like.
    func fire(_ event: any Sendable) async throws {
        try await self.channel.testingEventLoop.executeInContext {
            self.channel.pipeline.fireUserInboundEventTriggered(event)
        }
        await self.run()
    }

    func advance(by time: TimeAmount) async { await self.channel.testingEventLoop.advanceTime(by: time) }

    /// The peer's buffer is full, or has room again.
    func makeWritable(_ isWritable: Bool) async throws {
        try await self.channel.testingEventLoop.executeInContext {
            self.channel.isWritable = isWritable
            self.channel.pipeline.fireChannelWritabilityChanged()
        }
        await self.run()
    }

    var received: String { self.peer.withLockedValue(\.received) }
    var webSocketReceived: String { self.peer.withLockedValue(\.webSocketReceived) }
    var isOpen: Bool { self.channel.isActive }

    /// Waits until it is so.
    func until(_ isSo: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while !isSo() {
            try #require(ContinuousClock.now < deadline, "received: \(self.received)")
            await self.run()
            await Task.yield()
        }
    }

    func until(received text: String) async throws { try await self.until { self.received.contains(text) } }
}

/// The socket's place: the loop has looked at its sockets after each read.
private final class PeerEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let peer: NIOLockedValueBox<TestConnection.Peer>
    private let flows: FairQueue

    init(_ peer: NIOLockedValueBox<TestConnection.Peer>, _ flows: FairQueue) {
        self.peer = peer
        self.flows = flows
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let text = String(buffer: self.unwrapOutboundIn(data))
        self.peer.withLockedValue { $0.received += text }
        promise?.succeed()
        let flows = NIOLoopBound(self.flows, eventLoop: context.eventLoop)
        context.eventLoop.execute { flows.value.serve() }
    }
}

private final class WebSocketEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: NIOLockedValueBox<TestConnection.Peer>

    init(_ peer: NIOLockedValueBox<TestConnection.Peer>) { self.peer = peer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: self.unwrapInboundIn(data))
        self.peer.withLockedValue { $0.webSocketReceived += text }
    }
}
