import Dispatch
import RoomTestKit
import Testing

@testable import Scaledrone

/// A broker's process and the way there, on which the frames are noted for the schemas.
struct Network {
    let broker: BrokerProcess
    private let proxy: HostileProxy
    /// Clients and their delegates, which live as long as the network.
    private let clients = Guarded<[(Scaledrone, Witness)]>([])

    let url: String

    /// - Parameter flags: the broker's.
    static func with(flags: [String] = [], _ body: (Network) async throws -> Void) async throws {
        try await BrokerProcess.with(flags: flags) { broker in
            try await HostileProxy.with(plan: { _ in .faithful }) { proxy in
                try await proxy.forward(to: broker.clientPort)
                let url = ClientTransport.current.url(port: proxy.port)
                let network = Network(broker: broker, proxy: proxy, url: url)
                try await body(network)
                network.clients.withLock { $0 = [] }
                #expect(broker.alarms == [])
            }
        }
    }

    /// Kills the broker; it stays away.
    func takeDown() async throws {
        try await self.broker.kill9()
    }

    /// Ends the connections of all clients, as those of killed apps end; they can come back.
    ///
    /// - Parameter body: runs before they can.
    func cut(_ body: () async -> Void) async throws {
        try await self.proxy.forward(to: nil)
        try await self.proxy.cut()
        await body()
        try await self.proxy.forward(to: self.broker.clientPort)
    }

    func bringBack() async throws {
        try await self.broker.restart()
        try await self.proxy.forward(to: self.broker.clientPort)
    }

    /// - Parameter isDirect: it does not use the network that can be cut.
    func client(
        _ name: String?,
        of witness: Witness,
        channel: String = "default",
        queue: DispatchQueue? = nil,
        isDirect: Bool = false
    ) -> Scaledrone {
        let url = isDirect ? "tcp://127.0.0.1:\(self.broker.port)" : self.url
        let scaledrone = Scaledrone(channelID: channel, url: url, data: name, delegateQueue: queue ?? witness.queue)
        scaledrone.delegate = witness
        scaledrone.authenticateDelegate = witness
        self.clients.withLock { $0.append((scaledrone, witness)) }
        return scaledrone
    }
}
