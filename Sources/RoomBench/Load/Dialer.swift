import Foundation
import NIOCore
import NIOPosix
import RoomClient
import RoomModel

/// Opens the connections of one workload.
final class Dialer {
    private let loop: any EventLoop
    private let target: BenchTarget
    private let peer: SocketAddress
    private let tls: BrokerTLS?
    private let run: String
    private let text: MarkedText?

    /// - Parameters:
    ///   - peer: where the broker answers, so that no name has to be resolved for each connection.
    ///   - run: a word in the names of the rooms, so that nobody else is in them.
    ///   - text: of the messages, if their numbers are to be read.
    init(
        _ loop: any EventLoop,
        to target: BenchTarget,
        at peer: SocketAddress,
        tls: BrokerTLS?,
        run: String,
        reading text: MarkedText?
    ) {
        self.loop = loop
        self.target = target
        self.peer = peer
        self.tls = tls
        self.run = run
        self.text = text
    }

    var isWebSocket: Bool { self.target.address.webSocketPath != nil }

    func room(_ number: Int) -> RoomName { RoomName("bench-\(self.run)-\(number)") }

    /// Begins to open a connection, which tells its delegate how that ends.
    func open(room: Int, isMember: Bool, delegate: any BenchConnectionDelegate) -> BenchConnection {
        var greeting = OutgoingFrames(isWebSocket: self.isWebSocket)
        greeting.handshake(channel: self.target.channel, token: self.target.token)
        if isMember { greeting.subscribe(to: self.room(room)) }
        let connection = BenchConnection(
            to: self.target.address,
            room: room,
            isMember: isMember,
            start: MonotonicClock.now,
            greeting: greeting.bytes,
            reading: self.text,
            delegate: delegate
        )
        let (bound, tls) = (NIOLoopBound(connection, eventLoop: self.loop), self.tls)
        ClientBootstrap(group: self.loop)
            .connectTimeout(Self.patience)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try tls?.add(to: pipeline)
                    try pipeline.addHandler(bound.value)
                }
            }
            .connect(to: self.peer)
            .assumeIsolated()
            .whenFailure { delegate.connection(connection, failed: BenchFailure(connecting: $0)) }
        return connection
    }

    /// A broker that cannot accept leaves the connection to its system, which waits with it.
    static let patience = TimeAmount.seconds(10)
}

/// Nanoseconds of a clock that never goes back.
enum MonotonicClock {
    static var now: Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }
}

extension BenchFailure {
    /// - Parameter error: why a connection could not be made.
    init(connecting error: any Error) {
        let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        switch (first as? IOError)?.errnoCode {
        case EMFILE, ENFILE:
            self.init(
                .refused,
                "this machine lets the generator open no more files; raise ulimit -n or give fewer --members"
            )
        case EADDRNOTAVAIL:
            self.init(
                .refused,
                "this machine has no free port left for another connection; wait a minute, or give fewer --members or a shorter --duration"
            )
        case let code?:
            self.init(.unavailable, String(cString: strerror(code)))
        case nil where first is ChannelError:
            self.init(
                .unavailable,
                "the broker accepts no connection; it may have no open files left, or its machine no room"
            )
        case nil:
            let dns = (error as? NIOConnectionError).map { $0.dnsAError != nil || $0.dnsAAAAError != nil } ?? false
            self.init(.unavailable, dns ? "the host is not known" : "\(first)")
        }
    }
}
