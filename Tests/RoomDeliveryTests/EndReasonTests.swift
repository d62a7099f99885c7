import Foundation
import NIOCore
import NIOPosix
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Each connection that has ended has a reason, and it is the first of the causes.
struct EndReasonTests {
    /// Why the connections of a broker have ended; each once.
    private static func reasons(_ broker: TestBroker) -> [EndReason: Int] {
        broker.run()
        return broker.shards[0].onLoop.counters.connectionsClosed
    }

    @Test func `a word means one reason`() {
        #expect(Set(EndReason.all.map(\.word)).count == EndReason.all.count)
    }

    @Test func `the client closes, is reset, or is not reached any more`() {
        let broker = TestBroker()
        broker.connect().joined("room").halfClose()
        #expect(Self.reasons(broker) == [.clientClosed: 1])
        broker.connect().drop()
        #expect(Self.reasons(broker) == [.clientClosed: 1, .connectionReset: 1])
        for error in [ETIMEDOUT, EHOSTUNREACH] {
            let ann = broker.connect()
            ann.handshake()
            ann.breakSocket(error)
            _ = ann.request(#""type":"ping""#)
        }
        #expect(Self.reasons(broker) == [.clientClosed: 1, .connectionReset: 1, .connectionTimedOut: 2])
    }

    @Test func `a Close of WebSocket is the client's, a broken rule is not`() {
        let broker = TestBroker()
        let ann = broker.connectWebSocket()
        ann.handshake()
        ann.sendBytes(ByteBuffer(bytes: [0x88, 0x80, 0, 0, 0, 0]))
        ann.drop()
        #expect(Self.reasons(broker) == [.clientClosed: 1])
        let bob = broker.connectWebSocket()
        bob.sendBytes(ByteBuffer(bytes: [0x81, 0x00]))
        #expect(bob.isClosed)
        bob.drop()
        #expect(Self.reasons(broker) == [.clientClosed: 1, .code(.wrongProtocol): 1])
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n", "\u{16}\u{3}"])
    func `another protocol`(bytes: String) {
        let broker = TestBroker()
        let ann = broker.connect()
        ann.sendBytes(bytes)
        ann.halfClose()
        #expect(Self.reasons(broker) == [.code(.wrongProtocol): 1])
    }

    @Test func `a goodbye is the reason, whatever the client does behind it`() {
        let broker = TestBroker()
        let silent = broker.connect()
        silent.sendBytes("{")
        let dead = broker.connect()
        dead.handshake(#","heartbeat":3"#)
        broker.advance(by: .seconds(10))
        silent.halfClose()
        dead.drop()
        #expect(Self.reasons(broker) == [.code(.handshakeTimeout): 1, .code(.heartbeatTimeout): 1])
    }

    @Test func `nobody is let in, and not all of them are told`() {
        var limits = ConnectionGate.Limits()
        limits.total = 0
        limits.refused = 1
        let broker = TestBroker(gate: limits)
        let clients = (0..<3).map { _ in broker.connect() }
        for client in clients { client.halfClose() }
        #expect(Self.reasons(broker) == [.code(.tooManyConnections): 3])
        #expect(broker.shards[0].onLoop.counters.connectionsOpened == 3)
    }

    @Test func `the channel is deleted, the session is resumed elsewhere, the broker stops`() {
        let broker = TestBroker()
        let first = broker.connect()
        let token = first.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        let second = broker.connect()
        second.handshake(#","resume":"\#(token)""#)
        first.halfClose()
        #expect(Self.reasons(broker) == [.code(.replaced): 1])
        broker.removeChannel("test")
        second.halfClose()
        #expect(Self.reasons(broker) == [.code(.replaced): 1, .code(.unknownChannel): 1])
        let third = broker.connect()
        third.handshake(channel: "plain")
        broker.shards[0].onLoop.drain(spreadMilliseconds: 1)
        third.halfClose()
        #expect(Self.reasons(broker)[.code(.shuttingDown)] == 1)
    }

    @Test func `the events of administrators have it`() async {
        let broker = TestBroker()
        let events = broker.gateway.events.watch(after: nil).events
        let ann = broker.connect()
        ann.handshake()
        ann.breakSocket(ETIMEDOUT)
        _ = ann.request(#""type":"ping""#)
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
        guard case .disconnected(_, _, let reason) = await iterator.next()?.kind else {
            Issue.record("it was not told")
            return
        }
        #expect(reason == .connectionTimedOut)
    }

    #if os(Linux)
    /// By the system's own sockets, because only the system knows; as short as its timers let it be told.
    @Test func `a client that reads nothing is a slow consumer, although the system ends it`() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let reason = group.next().makePromise(of: EndReason.self)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.tcpUserTimeout, value: 2_000)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstError(reason))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(listener.localAddress)
        let client = try await ClientBootstrap(group: group).channelOption(.autoRead, value: false)
            .connect(to: address).get()
        #expect(try await reason.futureResult.get() == .code(.slowConsumer))
        try await client.close()
        try await listener.close()
    }

    /// Writes more than the system takes, and waits.
    private final class FirstError: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let reason: EventLoopPromise<EndReason>

        init(_ reason: EventLoopPromise<EndReason>) {
            self.reason = reason
        }

        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(NIOAny(ByteBuffer(repeating: 0, count: 32 << 20)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            let number = (error as? IOError)?.errnoCode ?? 0
            self.reason.succeed(EndReason(errorNumber: number, of: context.channel))
        }
    }
    #endif
}
