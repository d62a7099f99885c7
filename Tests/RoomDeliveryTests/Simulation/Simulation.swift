import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// One seeded run of a whole broker in memory with hundreds of clients that join, leave, lag, drop and resume.
struct Simulation {
    static let rooms = SimulationPlan.rooms

    let plan: SimulationPlan
    let ledger = Ledger()
    private let floor = MemoryFloor()
    var broker: TestBroker
    /// The logs that it follows as a node, and the other nodes.
    let cluster: MemoryCluster?
    var others: [TestBroker]
    /// Nodes that do not live any more.
    var dead: [NodeNumber] = []
    /// All that the rooms of the broker took, and those of each that has died.
    private var recorded = [RecordedRooms()]
    let clients: [SimulatedClient]
    let textClients: [SimulatedTextClient]
    var random: SeededRandom
    var published = 0
    /// As they are now.
    var channels: [ChannelSettings]
    /// How many brokers have died.
    private var crashes: UInt64 = 0
    /// What was asked by HTTP, by what it was answered.
    private(set) var outside = AskedOutside()
    private(set) var redactions = AskedOutside()
    private(set) var clears = AskedOutside()
    var imports: [SimulatedImport] = []

    final class AskedOutside {
        var asked = 0
        var answers: [Code?] = []
        /// The broker that was asked is dead: what it still does is not heard.
        private(set) var isOver = false

        /// Ends this, and goes on with what the next broker is asked.
        func next() -> AskedOutside {
            self.isOver = true
            let next = AskedOutside()
            next.answers = self.answers
            next.asked = self.answers.count
            return next
        }
    }

    init(_ kind: SimulationKind, seed: UInt64, clients count: Int) {
        let plan = SimulationPlan(seed: seed, kind: kind)
        self.plan = plan
        self.channels = plan.hasCrashes ? SimulationPlan.durableChannels : SimulationPlan.channels
        let clock = ManualClock()
        let engine = MemoryEngine(clock: clock, canCrash: true)
        let cluster = plan.hasNodes ? Self.cluster(plan, clock) : nil
        self.cluster = cluster
        self.broker =
            cluster.map { Self.node(1, of: $0, plan, clock, engine) }
            ?? Self.broker(plan, self.channels, [:], self.floor, clock, engine, self.recorded[0], seed)
        self.others = cluster.map { [Self.node(2, of: $0, plan, ManualClock())] } ?? []
        self.random = plan.random(for: 0)
        self.clients = (0..<count).map { [ledger] index in
            SimulatedClient(
                name: "client \(index)",
                channel: index % 3 == 0 ? "plain" : "test",
                address: "10.0.0.\(index % 250)",
                ledger: ledger
            )
        }
        self.textClients = (0..<(plan.hasText ? 4 : 0)).map { [ledger] in
            SimulatedTextClient(name: "text\($0)", ledger: ledger)
        }
        self.watchStore()
    }

    private static func broker(
        _ plan: SimulationPlan,
        _ channels: [ChannelSettings],
        _ moderation: [ChannelID: ChannelModeration],
        _ floor: MemoryFloor,
        _ clock: ManualClock,
        _ engine: MemoryEngine,
        _ recorder: RecordedRooms,
        _ seed: UInt64
    ) -> TestBroker {
        let broker = TestBroker(
            shards: plan.shards,
            channels: channels,
            moderation: moderation,
            limits: SimulationPlan.limits,
            floor: floor,
            clock: clock,
            engine: engine,
            recorder: recorder,
            seed: seed,
            loopSeed: plan.hasHops ? seed : nil
        )
        broker.isHasty = true
        return broker
    }

    /// From now on, whatever somebody sees or has acknowledged in a room with history has to be stored.
    private func watchStore() {
        self.ledger.showsOnRequest = !self.plan.hasChanges
        // the history of a node comes behind what its rooms tell
        guard !self.plan.hasChanges, !self.plan.hasNodes else { return }
        let stored = Set(self.channels.filter { $0.history != nil }.map(\.id.text))
        self.ledger.isStored = { [engine = self.broker.engine] channel, id in
            !stored.contains(channel) || engine.hasStored(id)
        }
        guard !self.plan.hasClockJumps else { return }
        self.ledger.served = { [broker = self.broker, channels = self.channels] log, range in
            let room = RoomKey.make(log.room, channel: log.channel)
            guard let age = channels.first(where: { $0.id == room.channel })?.history?.age,
                broker.engine.epoch(of: room)?.description == log.epoch
            else { return [] }
            let oldest = broker.clock.now - age.components.seconds * 1_000
            let entries = broker.engine.entries(of: room).filter { $0.id.milliseconds >= oldest }
            return entries.map { Int($0.seq) }.filter(range.contains)
        }
    }

    /// Another broker over what is left, and nobody is connected to it.
    mutating func begin(with engine: MemoryEngine) {
        self.crashes += 1
        self.askAnew()
        let recorder = RecordedRooms()
        self.recorded.append(recorder)
        let (clock, seed) = (self.broker.clock, self.plan.seed &+ self.crashes &* 1_000_003)
        let moderation = self.broker.moderation
        self.broker = Self.broker(self.plan, self.channels, moderation, self.floor, clock, engine, recorder, seed)
        self.watchStore()
    }

    /// What is asked by HTTP from now on, another broker is asked.
    mutating func askAnew() {
        (self.outside, self.redactions, self.clears) = (self.outside.next(), self.redactions.next(), self.clears.next())
    }

    // MARK: Steps

    /// The first steps let half of the clients in.
    private var arrivals: Int { self.clients.count / 2 }

    var allSteps: StepList { StepList(0..<(self.arrivals + 300)) }

    /// - Parameter steps: those that are done; `nil`: all.
    /// - Returns: how many were done before something was wrong.
    @discardableResult
    mutating func run(_ steps: StepList? = nil) -> Int {
        for (count, step) in (steps ?? self.allSteps).numbers.enumerated() {
            self.random = self.plan.random(for: step)
            for node in self.nodes { node.drawLoops(from: self.random.next()) }
            if step < self.arrivals {
                self.comeIn(self.clients[step])
            } else {
                self.step()
                if self.plan.hasImports { self.goOnImporting(step) }
                if step % 4 == 0 { self.readAll() }
            }
            if !self.ledger.violations.isEmpty { return count + 1 }
        }
        self.random = self.plan.random(for: -1)
        self.settle(isWhole: steps == nil)
        for rooms in self.recorded { rooms.check(self.ledger) }
        self.recorded.last?.compare(with: self.broker, self.ledger)
        return (steps ?? self.allSteps).numbers.count
    }

    func readAll() {
        self.runNodes()
        for client in self.everybody where client.connection != nil { client.read() }
        for client in self.textClients { client.read() }
    }

    private mutating func step() {
        if self.plan.hasCrashes, self.random.chance(3) { self.crash() }
        if self.plan.hasNodes { self.disturbNodes() }
        if self.plan.hasModeration, self.random.chance(12) { self.moderate() }
        if self.plan.hasText, self.random.chance(15) { self.text() }
        guard let client = self.clients.randomElement(using: &self.random), !client.hasEnded else { return }
        switch self.random.below(100) {
        case 0..<36: self.publish()
        case 36..<40 where self.plan.hasSanctions: self.sanction(client)
        case 36..<55: self.comeIn(client)
        case 55..<60: self.leaveRoom(client)
        case 60..<66: self.goAway(client)
        case 66..<72:
            self.ledger.note("\(client.name) stops reading")
            client.connection?.stopReading(after: self.random.below(3_000))
        case 72..<80: self.clients.forEachConnected { $0.readOn() }
        case 80..<87: self.disturbStore()
        case 87..<89: self.letTimePass(.seconds(3))
        case 89..<94: self.publishOutside()
        case 94..<97 where self.plan.hasChanges: self.changeChannel()
        case 94 where self.plan.hasClockJumps: self.setClock()
        case 97..<99 where self.plan.hasChanges: self.authenticate(client)
        case 99 where self.plan.hasClockJumps: self.setClock()
        default: self.letTimePass(.milliseconds(Int64(self.random.below(20))))
        }
        if self.random.chance(50) { self.runNodes() }
    }

    mutating func comeIn(_ client: SimulatedClient) {
        if client.connection == nil {
            let broker = self.anyNode()
            let (shard, isDirect) = (self.random.below(self.plan.shards), !self.random.chance(10))
            let connection =
                switch self.random.below(10) {
                case 0..<3: broker.connectWebSocket(shard: shard, from: client.address, direct: isDirect)
                case 3..<5: broker.connectEvents(shard: shard, from: client.address, direct: isDirect)
                default: broker.connect(shard: shard, from: client.address, direct: isDirect)
                }
            connection.isDumped = self.plan.seed == 1
            if self.random.chance(60) { connection.socket.takeRandomly(seed: self.random.next()) }
            self.ledger.note("\(client.name) connects")
            client.connect(connection, resumable: self.random.chance(50))
        }
        for room in Self.rooms[client.channel] ?? [] {
            let view = client.views[room]
            guard self.random.chance(view == nil ? 60 : 15) else { continue }
            let overflow = ["disconnect", "drop_oldest", "latest"].randomElement(using: &self.random) ?? ""
            let presence = self.presence()
            self.ledger.note(
                "\(client.name) subscribes to \(room), \(overflow), presence \(presence, default: "unsaid")"
            )
            let options = ",\"overflow\":\"\(overflow)\""
            client.subscribe(room, options: options, since: self.random.chance(50) ? view : nil, presence: presence)
        }
        client.retry()
    }

    /// Whether a subscribe asks to be shown the members. Drawn from a copy: what is drawn next is as it was for the seeds that
    /// have failed.
    private func presence() -> Bool? {
        var random = self.random
        return [nil, false, true, true][random.below(4)]
    }

    private mutating func leaveRoom(_ client: SimulatedClient) {
        client.read()
        guard let room = client.views.keys.sorted().randomElement(using: &self.random) else { return }
        self.ledger.note("\(client.name) leaves \(room)")
        client.unsubscribe(room)
    }

    private mutating func goAway(_ client: SimulatedClient) {
        guard let connection = client.connection else { return }
        client.read()
        switch self.random.below(3) {
        // who ends an event stream has no answers to come
        case 0 where connection.events == nil:
            self.ledger.note("\(client.name) half-closes")
            client.halfClose()
        case 1:
            self.ledger.note("\(client.name) vanishes, to come back on another connection")
            client.disconnected()
            self.comeIn(client)
        default:
            self.ledger.note("\(client.name) is dropped")
            connection.drop()
            client.read()
        }
    }
}

extension [SimulatedClient] {
    func forEachConnected(_ body: (TestConnection) -> Void) {
        for client in self { client.connection.map(body) }
    }
}
