import NIOCore
import NIOPosix

/// The proxy's connections and what it knows of the broker. Confined to the proxy's event loop.
final class ProxyCore {
    /// Where the broker listens; `nil`: it is down.
    var brokerPort: Int?
    private(set) var accepted = 0
    private let plan: @Sendable (Int) -> ProxyPlan
    private let loop: any EventLoop
    private var isCalm = false
    private var connections: [Int: ProxiedConnection] = [:]

    init(plan: @escaping @Sendable (Int) -> ProxyPlan, loop: any EventLoop) {
        self.plan = plan
        self.loop = loop
    }

    func calmDown() {
        self.isCalm = true
        for connection in self.connections.values { connection.calmDown() }
    }

    /// Ends all connections that there are.
    func cut() {
        for connection in self.connections.values { connection.cut(.reset) }
    }

    /// A client has connected; its channel becomes active after this.
    func accepted(_ channel: any Channel) throws {
        let client = Client(channel: channel, number: self.accepted)
        self.accepted += 1
        client.handler.onOpening = { [weak self] in self?.opened(client, with: $0) }
        try channel.pipeline.syncOperations.addHandler(client.handler)
    }

    /// A client that has no connection to the broker yet.
    private final class Client {
        let channel: any Channel
        let number: Int
        let handler = ProxyHandler()

        init(channel: any Channel, number: Int) {
            self.channel = channel
            self.number = number
        }

        func refuse(_ ending: ProxyPlan.Ending) {
            ProxiedConnection.close(self.channel, ending)
        }
    }

    private func opened(_ client: Client, with opening: ByteBuffer) {
        let plan = self.currentPlan(client)
        if let refusal = plan.refusal { return client.refuse(refusal) }
        guard let port = self.brokerPort else {
            return client.refuse(client.number.isMultiple(of: 2) ? .closed : .reset)
        }
        guard let duplicate = plan.duplicate else { return self.connect(client, port) }
        var repeated = opening
        let bytes = repeated.readSlice(length: min(duplicate.bytes, opening.readableBytes)) ?? repeated
        if duplicate.isFirst {
            self.repeat(bytes, port).assumeIsolated().whenComplete { _ in self.connect(client, port) }
        } else {
            self.connect(client, port)
            _ = self.repeat(bytes, port)
        }
    }

    private func currentPlan(_ client: Client) -> ProxyPlan {
        self.isCalm ? .faithful : self.plan(client.number)
    }

    /// Says the same on a connection of its own, and drops that.
    private func `repeat`(_ bytes: ByteBuffer, _ port: Int) -> EventLoopFuture<Void> {
        ClientBootstrap(group: self.loop)
            .connect(host: "127.0.0.1", port: port)
            .flatMap { channel in
                channel.writeAndFlush(bytes).flatMap { channel.close() }
            }
    }

    private func connect(_ client: Client, _ port: Int) {
        let handler = NIOLoopBound(ProxyHandler(), eventLoop: self.loop)
        ClientBootstrap(group: self.loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
            }
            .connect(host: "127.0.0.1", port: port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let broker): self.join(client, broker, handler.value)
                case .failure: client.refuse(.closed)
                }
            }
    }

    private func join(_ client: Client, _ broker: any Channel, _ handler: ProxyHandler) {
        let connection = ProxiedConnection(client: client.channel, broker: broker)
        self.connections[client.number] = connection
        connection.ended.assumeIsolated().whenComplete { _ in self.connections[client.number] = nil }
        connection.start(self.currentPlan(client), client: client.handler, broker: handler)
    }
}
