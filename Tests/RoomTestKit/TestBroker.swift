import Dispatch
import NIOConcurrencyHelpers
package import NIOCore
package import NIOEmbedded
package import RoomCluster
package import RoomCore
package import RoomDelivery
package import RoomModel
package import RoomTransport

/// A whole broker in memory: shards, connection handlers and a store on one event loop that runs when a test says so.
package final class TestBroker {
    package let eventLoop = EmbeddedEventLoop()
    package let clock: ManualClock
    package let engine: MemoryEngine
    package let shards: [ShardRef]
    package let gate: ConnectionGate
    package var settings: ConnectionSettings
    /// The state that a test's moderators have set.
    package var moderation: [ChannelID: ChannelModeration]
    let environment: ShardEnvironment
    /// The one whose node it is.
    private let cluster: MemoryCluster?
    private var endpoints: [Endpoint] = []
    /// Endpoints that have sent what has not been read.
    private var senders: [Endpoint] = []
    /// `nil`: all shards are on one loop, and what they post to each other comes in the order of posting.
    private let loops: ScheduledLoops?
    /// With several loops: `run` does some of what there is to do, however much that is.
    package var isHasty = false
    private let states = NIOLockedValueBox<[Int: PartitionState]>([:])
    /// How often the event loop has looked at its sockets.
    private let looks = NIOLockedValueBox(0)

    /// The channels that a test broker has: `test` keeps history, `plain` does not.
    package static var channels: [ChannelSettings] {
        [.make("test", history: 1_000), .make("plain", history: nil)]
    }

    /// - Parameters:
    ///   - waitsForSockets: what is put off until the loop has looked at its sockets waits for `lookAtSockets`.
    ///   - cluster: the broker is a node of it, with a number of its own.
    ///   - loopSeed: each shard has a loop of its own, and this draws which one goes on.
    package init(
        shards count: Int = 1,
        channels: [ChannelSettings] = TestBroker.channels,
        moderation: [ChannelID: ChannelModeration] = [:],
        secret: ChannelSecret = TestBroker.secret,
        limits: BrokerLimits = .init(),
        gate: ConnectionGate.Limits = .init(),
        floor: MemoryFloor = MemoryFloor(),
        clock: ManualClock = ManualClock(),
        engine: MemoryEngine? = nil,
        textChannel: String = "test",
        waitsForSockets: Bool = false,
        processorClock: ProcessorClock = .thread,
        recorder: (any RoomRecorder)? = nil,
        node: NodeNumber = .alone,
        cluster: MemoryCluster? = nil,
        seed: UInt64 = 1,
        loopSeed: UInt64? = nil
    ) {
        let engine = engine ?? MemoryEngine(clock: clock)
        let table = ChannelTable(
            channels.map {
                RoomChannel(settings: $0, secrets: [secret], limits: limits.frame, processorClock: processorClock)
            }
        )
        var environment = ShardEnvironment(
            channels: table,
            moderation: moderation,
            limits: limits,
            engine: engine,
            idFloor: floor,
            clock: { clock.now }
        )
        environment.recorder = recorder
        environment.textRoom = ChannelID(textChannel).map { RoomKey(channel: $0, room: Self.textRoom) }
        environment.node = node
        if let cluster {
            environment.ordering = cluster.environment(engine) { [states] partition, state in
                states.withLockedValue { $0[partition] = state }
            }
        }
        if waitsForSockets {
            environment.loopTicks = { [looks] in looks.withLockedValue { $0 } }
        } else {
            environment.pauseForIO = .zero
        }
        let loops = loopSeed.map { [eventLoop] in ScheduledLoops(count, on: eventLoop, seed: $0) }
        let shards = (0..<count).map { [eventLoop] index in
            var random = SeededRandom(seed: seed &+ UInt64(index))
            return RoomShard.make(
                index: index,
                eventLoop: loops?.all[index] ?? eventLoop,
                environment: environment,
                shards: count,
                entropy: Entropy { (0..<64).map { _ in random.next() } }
            )
        }
        for shard in shards { shard.onLoop.connect(shards) }
        for shard in shards { shard.onLoop.followPartitions() }
        self.loops = loops
        self.clock = clock
        self.moderation = moderation
        self.environment = environment
        self.engine = engine
        self.shards = shards
        self.cluster = cluster
        self.gate = ConnectionGate(limits: gate)
        self.settings = ConnectionSettings(
            frames: limits.frame,
            handshakeTime: .seconds(10),
            silentTime: .minutes(5),
            textRoom: ChannelID(textChannel).map {
                .init(room: Self.textRoom, channel: $0, listeningAfter: .seconds(3))
            }
        )
        cluster?.add(self)
    }

    private static let textRoom = RoomName("lobby")

    /// Signs the tokens of every channel of a test.
    package static let secret = ChannelSecret(text: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")

    /// The gateway that the HTTP side would have.
    package private(set) lazy var gateway = RoomGateway(shards: self.shards, environment: self.environment)

    deinit {
        for endpoint in self.endpoints where endpoint.isOpen { endpoint.drop() }
        self.runLoops()
        // timers and shards hold each other
        self.eventLoop.shutdownGracefully(queue: .global()) { _ in }
        for shard in self.shards {
            // a flow that was busy is known for two samples
            for _ in 0..<2 { _ = shard.onLoop.sampleFlows(processorTime: .zero) }
            shard.onLoop.closePartitions()
            shard.onLoop.connect([])
        }
    }

    /// The states of the partitions, in a cluster.
    package var partitionStates: [Int: PartitionState] { self.states.withLockedValue(\.self) }

    /// Another node of the cluster is said to be dead.
    package func nodeGone(_ node: NodeNumber) {
        for shard in self.shards { shard.onLoop.nodeGone(node) }
    }

    /// The node does not live any more: nothing that it does reaches the logs, and it answers nobody.
    package func die() {
        self.cluster?.silence(self.node)
        for shard in self.shards { shard.onLoop.closePartitions() }
    }

    package var node: NodeNumber { self.environment.node }

    /// The channel as the first shard has it.
    package func channel(_ id: String = "test") -> RoomChannel? { self.shards.first?.onLoop.channels[id] }

    /// Does the work of `RoomAccess.channelChanged` without an `await`: at once on all shards, or where each has a loop of
    /// its own, one after the other.
    ///
    /// - Parameter version: `nil`: the next one.
    package func change(
        _ settings: ChannelSettings,
        version: Int64? = nil,
        secrets: [ChannelSecret] = [TestBroker.secret]
    ) {
        let before = self.channel(settings.id.text)
        let channel = RoomChannel(
            settings: settings,
            version: version ?? (before?.version ?? 0) + 1,
            secrets: secrets,
            limits: self.settings.frames,
            usage: before?.usage ?? ChannelUsage()
        )
        self.onEach(self.shards[...]) { $0.channelChanged(channel, done: $1) }
        self.runAll()
    }

    /// Does to the shards what `RoomAccess.channelRemoved` does.
    package func removeChannel(_ id: String) {
        self.onEach(self.shards[...]) { $0.channelRemoved(.make(id), done: $1) }
        self.moderation[.make(id)] = nil
        self.runAll()
    }

    private func onEach(
        _ shards: ArraySlice<ShardRef>,
        _ work: @escaping @Sendable (RoomShard, @escaping @Sendable () -> Void) -> Void
    ) {
        if self.loops != nil { return Self.inTurn(shards, work) }
        for shard in shards { work(shard.onLoop) {} }
    }

    private static func inTurn(
        _ shards: ArraySlice<ShardRef>,
        _ work: @escaping @Sendable (RoomShard, @escaping @Sendable () -> Void) -> Void
    ) {
        shards.first?.post { work($0) { Self.inTurn(shards.dropFirst(), work) } }
    }

    /// A new connection, accepted by a shard.
    ///
    /// - Parameter proxy: the connection has to begin with a PROXY header.
    package func connect(
        shard: Int = 0,
        from address: String = "127.0.0.1",
        direct: Bool = true,
        proxy: ProxyRule? = nil
    ) -> TestConnection {
        let endpoint = Endpoint(loop: self.eventLoop)
        let socket = endpoint.socket
        endpoint.open(from: address, proxy: proxy) { [settings, gate, onLoop = self.shards[shard].onLoop] proxied in
            ConnectionHandler(shard: onLoop, settings: settings, gate: gate, proxied: proxied) { _ in
                direct ? socket : nil
            }
        }
        self.add(endpoint)
        return TestConnection(broker: self, endpoint: endpoint)
    }

    func add(_ endpoint: Endpoint) {
        self.endpoints.append(endpoint)
        if self.endpoints.count % 512 == 0 { self.endpoints.removeAll { !$0.isOpen } }
    }

    /// A new WebSocket, whose upgrade has been answered.
    ///
    /// - Parameter origin: of the web page that opens it.
    package func connectWebSocket(
        shard: Int = 0,
        from address: String = "127.0.0.1",
        direct: Bool = true,
        origin: String? = nil,
        host: String? = nil,
        isOnThisMachineOnly: Bool = true
    ) -> TestConnection {
        let endpoint = Endpoint(loop: self.eventLoop)
        let socket = endpoint.socket
        endpoint.open(from: address, proxy: nil) { [settings, gate, onLoop = self.shards[shard].onLoop] _ in
            WebSocketHandler(
                shard: onLoop,
                settings: settings,
                gate: gate,
                address: IPAddress(address),
                page: WebPage(origin: origin, host: host, isOnThisMachineOnly: isOnThisMachineOnly)
            ) { _ in direct ? socket : nil }
        }
        self.add(endpoint)
        return TestConnection(broker: self, endpoint: endpoint, webSocket: TestWebSocket())
    }

    /// Lets the event loop do all that can be done now; several of them, in haste, do a part of it.
    package func run() {
        if self.isHasty, let loops { self.runSome(loops) } else { self.runAll() }
    }

    /// From now on this seed draws which loop goes on.
    package func drawLoops(from seed: UInt64) { self.loops?.draw(from: seed) }

    private func runSome(_ loops: ScheduledLoops) {
        self.eventLoop.run()
        for endpoint in self.senders where loops.chance(60) { _ = endpoint.deliverInput() }
        self.senders.removeAll { !$0.hasInput }
        for _ in 0..<loops.nextCount() where loops.runOne() { self.eventLoop.run() }
    }

    private func runLoops() {
        self.eventLoop.run()
        guard let loops else { return }
        while loops.runOne() { self.eventLoop.run() }
    }

    /// Lets all loops, those of other nodes too, do all that can be done now.
    package func runAll() {
        if let cluster { cluster.runAll(self) { $0.runOwn() } } else { self.runOwn() }
    }

    private func runOwn() {
        self.runLoops()
        while !self.senders.isEmpty {
            var isBlocked = true
            for endpoint in self.senders where endpoint.deliverInput() {
                isBlocked = false
                self.runLoops()
            }
            self.senders.removeAll { !$0.hasInput }
            if isBlocked { return }
        }
    }

    /// The event loop looks at its sockets, and does what was put off until then.
    package func lookAtSockets() {
        self.run()
        self.looks.withLockedValue { $0 += 1 }
        self.eventLoop.advanceTime(by: .milliseconds(1))
        self.run()
    }

    /// Lets the handlers read what was sent; what they put on the event loop has not run on return.
    package func deliverInput() {
        for endpoint in self.senders { _ = endpoint.deliverInput() }
        self.senders.removeAll { !$0.hasInput }
    }

    func send(_ bytes: ByteBuffer, from endpoint: Endpoint) {
        if !endpoint.hasInput { self.senders.append(endpoint) }
        endpoint.addInput(bytes)
    }

    /// Lets time go by.
    package func advance(by time: TimeAmount) {
        self.run()
        self.clock.advance(milliseconds: time.nanoseconds / 1_000_000)
        self.eventLoop.advanceTime(by: time)
        self.run()
    }

    /// How many connections the shards have.
    package var connectionTotal: Int { self.shards.reduce(0) { $0 + $1.onLoop.connectionTotal } }

    /// A name whose room is owned by this shard.
    package func room(ownedBy shard: Int, channel: String = "test", prefix: String = "room") -> String {
        let names = (0...).lazy.map { "\(prefix)-\($0)" }
        return names.first { self.owner(of: $0, channel: channel) == shard } ?? prefix
    }

    private func owner(of room: String, channel: String) -> Int {
        Int(RoomKey.make(room, channel: channel).stableHash % UInt64(self.shards.count))
    }
}
