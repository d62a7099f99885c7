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
    var draw: Draws
    /// What the steps drew, where somebody wants to know.
    var written: [KeptRun.Step]?
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

    init(_ plan: SimulationPlan, clients count: Int) {
        self.plan = plan
        self.channels = plan.hasCrashes ? SimulationPlan.durableChannels : SimulationPlan.channels
        let clock = ManualClock()
        let engine = MemoryEngine(clock: clock, canCrash: true)
        let cluster = plan.hasNodes ? Self.cluster(plan, clock) : nil
        self.cluster = cluster
        self.broker =
            cluster.map { Self.node(1, of: $0, plan, clock, engine) }
            ?? Self.broker(plan, self.channels, [:], self.floor, clock, engine, self.recorded[0], plan.seed)
        self.others = cluster.map { [Self.node(2, of: $0, plan, ManualClock())] } ?? []
        self.draw = Draws(plan.random(for: 0))
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
        let numbers = (steps ?? self.allSteps).numbers
        for (count, step) in numbers.enumerated() {
            self.take(step, self.draws(of: step))
            if !self.ledger.violations.isEmpty { return count + 1 }
        }
        self.end(isWhole: steps == nil, self.draws(of: KeptRun.end))
        return numbers.count
    }

    /// Does again what was written down.
    mutating func run(_ kept: KeptRun) {
        for step in kept.steps where step.number != KeptRun.end {
            self.take(step.number, self.draws(of: step.number, saying: step.drawn))
            if !self.ledger.violations.isEmpty { return }
        }
        let end = kept.steps.last { $0.number == KeptRun.end }
        self.end(isWhole: false, self.draws(of: KeptRun.end, saying: end?.drawn ?? []))
    }

    private func draws(of step: Int, saying said: [Draws.Drawn]? = nil) -> Draws {
        Draws(self.plan.random(for: step), isWritten: self.written != nil, saying: said)
    }

    private mutating func take(_ step: Int, _ draws: Draws) {
        self.draw = draws
        for node in self.nodes { node.drawLoops(from: self.draw.number("loops")) }
        if step < self.arrivals {
            self.comeIn(self.clients[step])
        } else {
            self.step()
            if self.plan.hasImports { self.goOnImporting(step) }
            if step % 4 == 0 { self.readAll() }
        }
        self.wasTaken(step)
    }

    /// - Parameter isWhole: no step was left out.
    private mutating func end(isWhole: Bool, _ draws: Draws) {
        self.draw = draws
        self.settle(isWhole: isWhole)
        for rooms in self.recorded { rooms.check(self.ledger) }
        self.recorded.last?.compare(with: self.broker, self.ledger)
        self.wasTaken(KeptRun.end)
    }

    private mutating func wasTaken(_ step: Int) {
        self.written?.append(.init(number: step, drawn: self.draw.drawn))
        for unknown in self.draw.unknown {
            self.ledger.check(false, "step \(step) says \(unknown), which the simulation does not know any more")
        }
    }

    func readAll() {
        self.runNodes()
        for client in self.everybody where client.connection != nil { client.read() }
        for client in self.textClients { client.read() }
    }

    private mutating func step() {
        if self.plan.hasCrashes, self.draw.chance(3, "dies") { self.crash() }
        if self.plan.hasNodes { self.disturbNodes() }
        if self.plan.hasModeration, self.draw.chance(12, "moderates") { self.moderate() }
        if self.plan.hasText, self.draw.chance(15, "text") { self.text() }
        guard let client = self.draw.one("client", of: self.clients, by: \.name), !client.hasEnded else { return }
        switch self.draw.case("act", below: 100, self.act) {
        case .publish: self.publish()
        case .sanction: self.sanction(client)
        case .comeIn: self.comeIn(client)
        case .leave: self.leaveRoom(client)
        case .goAway: self.goAway(client)
        case .stopReading:
            self.ledger.note("\(client.name) stops reading")
            client.connection?.stopReading(after: self.draw.below(3_000, "bytes"))
        case .readOn: self.clients.forEachConnected { $0.readOn() }
        case .disturbStore: self.disturbStore()
        case .waitLong: self.letTimePass(.seconds(3))
        case .publishOutside: self.publishOutside()
        case .changeChannel: self.changeChannel()
        case .authenticate: self.authenticate(client)
        case .setClock: self.setClock()
        case .wait: self.letTimePass(.milliseconds(Int64(self.draw.below(20, "ms"))))
        }
        if self.draw.chance(50, "runs") { self.runNodes() }
    }

    private enum Act: String {
        case publish, sanction, comeIn, leave, goAway, stopReading, readOn, disturbStore, waitLong, publishOutside
        case changeChannel, authenticate, setClock, wait
    }

    private func act(_ number: Int) -> Act {
        switch number {
        case 0..<36: .publish
        case 36..<40 where self.plan.hasSanctions: .sanction
        case 36..<55: .comeIn
        case 55..<60: .leave
        case 60..<66: .goAway
        case 66..<72: .stopReading
        case 72..<80: .readOn
        case 80..<87: .disturbStore
        case 87..<89: .waitLong
        case 89..<94: .publishOutside
        case 94..<97 where self.plan.hasChanges: .changeChannel
        case 94 where self.plan.hasClockJumps: .setClock
        case 97..<99 where self.plan.hasChanges: .authenticate
        case 99 where self.plan.hasClockJumps: .setClock
        default: .wait
        }
    }

    mutating func comeIn(_ client: SimulatedClient) {
        if client.connection == nil {
            let broker = self.anyNode()
            let (shard, isDirect) = (self.draw.below(self.plan.shards, "shard"), !self.draw.chance(10, "queued"))
            let connection =
                switch self.draw.case("by", below: 10, Way.init) {
                case .webSocket: broker.connectWebSocket(shard: shard, from: client.address, direct: isDirect)
                case .events: broker.connectEvents(shard: shard, from: client.address, direct: isDirect)
                case .lines: broker.connect(shard: shard, from: client.address, direct: isDirect)
                }
            connection.isDumped = self.plan.seed == 1
            if self.draw.chance(60, "small socket") {
                connection.socket.takeRandomly(seed: self.draw.number("takes"))
            }
            self.ledger.note("\(client.name) connects")
            client.connect(connection, resumable: self.draw.chance(50, "resumable"))
        }
        for room in Self.rooms[client.channel] ?? [] {
            let view = client.views[room]
            guard self.draw.chance(view == nil ? 60 : 15, "subscribes to \(room)") else { continue }
            let overflow = self.draw.one("overflow", of: ["disconnect", "drop_oldest", "latest"]) ?? ""
            let presence = self.draw.case("presence", below: 4, AskedPresence.init).asked
            self.ledger.note(
                "\(client.name) subscribes to \(room), \(overflow), presence \(presence, default: "unsaid")"
            )
            let options = ",\"overflow\":\"\(overflow)\""
            let since = self.draw.chance(50, "since") ? view : nil
            client.subscribe(room, options: options, since: since, presence: presence)
        }
        client.retry()
    }

    /// How a client connects.
    private enum Way: String {
        case webSocket, events, lines

        init(_ number: Int) {
            self = number < 3 ? .webSocket : number < 5 ? .events : .lines
        }
    }

    /// Whether a subscribe asks to be shown the members.
    private enum AskedPresence: String {
        case unsaid, no, yes

        init(_ number: Int) {
            self = [.unsaid, .no, .yes, .yes][number]
        }

        var asked: Bool? { self == .unsaid ? nil : self == .yes }
    }

    private mutating func leaveRoom(_ client: SimulatedClient) {
        client.read()
        guard let room = self.draw.one("left room", of: client.views.keys.sorted()) else { return }
        self.ledger.note("\(client.name) leaves \(room)")
        client.unsubscribe(room)
    }

    private mutating func goAway(_ client: SimulatedClient) {
        guard let connection = client.connection else { return }
        client.read()
        switch self.draw.case("goes", below: 3, Parting.init) {
        // who ends an event stream has no answers to come
        case .halfCloses where connection.events == nil:
            self.ledger.note("\(client.name) half-closes")
            client.halfClose()
        case .vanishes:
            self.ledger.note("\(client.name) vanishes, to come back on another connection")
            client.disconnected()
            self.comeIn(client)
        default:
            self.ledger.note("\(client.name) is dropped")
            connection.drop()
            client.read()
        }
    }

    private enum Parting: String {
        case halfCloses, vanishes, isDropped

        init(_ number: Int) {
            self = [.halfCloses, .vanishes, .isDropped][number]
        }
    }
}

extension [SimulatedClient] {
    func forEachConnected(_ body: (TestConnection) -> Void) {
        for client in self { client.connection.map(body) }
    }
}
