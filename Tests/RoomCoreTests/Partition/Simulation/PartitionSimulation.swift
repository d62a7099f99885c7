import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomCore

/// A cluster of two to four nodes with clients, over a log that loses and repeats what is appended, by one seed. Clients talk,
/// come and go; moderators act; nodes die, start again, fall behind, and are taken for dead while they live.
struct PartitionSimulation {
    /// Most of it happens in the first four.
    static let rooms = ["observable-a", "observable-b", "c", "d", "e", "f", "g", "h"].map { RoomKey.make($0) }
    /// So many of them may have members.
    static let roomLimit = 3
    /// Of a client whose connection has ended, in nanoseconds.
    static let grace: UInt64 = 10_000_000_000
    static let millisecond: UInt64 = 1_000_000

    var random: SeededRandom
    private(set) var now: UInt64 = 0
    private(set) var log: LossyLog
    var nodes: [SimulatedNode] = []
    var clients: [SimulatedClient] = []
    var ledger: OrderLedger
    /// Lives that have ended, until the log says so.
    var dead: [NodeNumber] = []
    private var newestNode: UInt32 = 0
    private var newestConnection: UInt64 = 0
    private var newestAttempt: Int64 = 0
    /// How often lives ended, for whatever reason.
    private(set) var deaths = 0

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
        self.log = LossyLog(seed: self.random.next())
        let rules = Rules(history: self.random.chance(70) ? 100 : nil, forgets: self.random.chance(30))
        self.ledger = OrderLedger(rules.partition, forgetsKeys: rules.forgets)
        self.rules = rules
        self.channels.append(Self.channel(.make(history: rules.history, age: .seconds(20)), version: 0))
        for _ in 0..<(2 + self.random.below(3)) {
            let number = self.nextNode()
            self.nodes.append(SimulatedNode(number, rules.partition, lead: self.nextLead()))
        }
        self.clients = (1...(4 + self.random.below(8))).map { SimulatedClient($0, isGuest: $0 % 3 == 0) }
    }

    private let rules: Rules
    /// The channel in all of its versions. Nodes hear of a new one at different times.
    var channels: [RoomChannel] = []

    static func channel(_ settings: ChannelSettings, version: Int) -> RoomChannel {
        let settings = settings.with {
            $0.limits.rooms = self.roomLimit
            $0.grace = .seconds(25)
        }
        return RoomChannel(settings: settings, version: Int64(version))
    }

    /// What all nodes of a cluster have to agree on.
    private struct Rules {
        let history: Int?
        /// There is little place for keys and for rooms without members.
        let forgets: Bool

        private var limits: BrokerLimits {
            var limits = BrokerLimits()
            if self.forgets { (limits.publishKeysTotal, limits.dormantRooms) = (6_000, 2) }
            return limits
        }

        /// What a node begins with that has nothing.
        var partition: Partition { Partition(limits: self.limits) }

        func partition(from snapshot: ByteBuffer) -> Partition? {
            try? Partition(decoding: snapshot, limits: self.limits)
        }
    }

    // MARK: Steps

    /// - Parameter steps: those in which clients and moderators do something.
    mutating func run(steps: Int = 500) {
        for _ in 0..<steps where self.ledger.violations.isEmpty {
            self.step()
            for _ in 0..<self.random.below(4) { self.act() }
            self.trouble()
        }
        self.calmDown()
        for _ in 0..<20_000 where self.ledger.violations.isEmpty && !self.isIdle { self.step() }
        if self.ledger.violations.isEmpty { self.checkEnd() }
    }

    private mutating func step() {
        let most = self.random.chance(10) ? 2_000 : 100
        self.now += UInt64(1 + self.random.below(most)) * Self.millisecond
        for index in self.nodes.indices { self.run(index) }
        self.log.store(at: self.now)
        while self.ledger.applied.count < self.log.records.count {
            self.ledger.stored(self.log.records[self.ledger.applied.count])
        }
        for index in self.nodes.indices where self.nodes[index].isRunning && self.random.chance(70) {
            guard self.nodes[index].pausedUntil <= self.now else { continue }
            for _ in 0..<(1 + self.random.below(40)) where self.nodes[index].place < self.log.records.count {
                self.follow(index)
            }
        }
    }

    private mutating func trouble() {
        if self.random.below(200) == 0 { self.log.elect(at: self.now) }
        guard self.random.below(60) == 0 else { return }
        let index = self.random.below(self.nodes.count)
        guard self.nodes[index].isRunning else { return }
        switch self.random.below(4) {
        case 0:
            self.crash(index)
        case 1:
            let other = self.random.below(self.nodes.count)
            guard other != index else { return }
            self.nodes[index].sender.addGone(self.nodes[other].number, now: self.nodes[index].clock(self.now))
        default:
            self.nodes[index].pausedUntil = self.now + UInt64(self.random.below(20_000)) * Self.millisecond
        }
    }

    // MARK: The end

    /// All nodes run, and half of the clients are gone for good.
    private mutating func calmDown() {
        for index in self.nodes.indices {
            self.nodes[index].pausedUntil = 0
            if !self.nodes[index].isRunning { self.nodes[index].downUntil = self.now }
        }
        for index in self.clients.indices where self.random.chance(50) { self.disconnect(index) }
    }

    private var isIdle: Bool {
        let isQuiet = self.log.isIdle && self.dead.isEmpty && !self.ledger.rooms.waitsForTime
        return isQuiet
            && self.nodes.allSatisfy { node in
                node.isRunning && node.sender.isIdle && node.dropped.isEmpty && node.graces.isEmpty
                    && node.place == self.log.records.count
            }
            && self.clients.allSatisfy { $0.connection == nil || $0.pending.isEmpty }
    }

    private mutating func checkEnd() {
        guard self.isIdle else { return self.ledger.violated("it does not come to rest") }
        for node in self.nodes { self.ledger.compareRooms(node.partition, "node \(node.number.rawValue)") }
        self.replay()
        for (room, key) in Self.rooms.enumerated() {
            let members = self.ledger.rooms[key]?.members.senders.compactMap(\.clientID) ?? []
            let joined = self.clients.filter { $0.rooms[room] == .joined }.map(\.id)
            if Set(members) != Set(joined) { self.ledger.violated("in \(key) are \(members), and should be \(joined)") }
        }
    }

    /// The same log once more.
    private mutating func replay() {
        var partition = self.rules.partition
        for (index, stored) in self.log.records.enumerated() {
            guard let record = try? PartitionRecord(decoding: stored.bytes) else { continue }
            let applied = partition.apply(record, at: LogOffset(rawValue: UInt64(index + 1)), time: stored.time)
            guard applied != self.ledger.applied[index] else { continue }
            return self.ledger.violated("once more, the log does something else at \(index + 1)")
        }
        self.ledger.compareRooms(partition, "the same log once more")
    }

    // MARK: Parts

    mutating func nextNode() -> NodeNumber {
        self.newestNode += 1
        return NodeNumber(rawValue: self.newestNode)
    }

    mutating func nextLead() -> UInt64 { UInt64(self.random.below(1_000_000)) * Self.millisecond }

    mutating func nextConnection(to node: Int, isExternal: Bool = false) -> ConnectionRef {
        self.newestConnection += 1
        let number = self.newestConnection | (isExternal ? 1 << 63 : 0)
        return ConnectionRef(shard: self.random.below(2), number: number, node: self.nodes[node].number)
    }

    mutating func nextAttempt() -> Int64 {
        self.newestAttempt += 1
        return self.newestAttempt
    }

    mutating func append(_ bytes: ByteBuffer) { self.log.append(bytes, at: self.now) }

    /// Another life of a node that was down: with nothing, or with the snapshot of another node.
    mutating func begin(_ index: Int) {
        self.nodes[index] = SimulatedNode(self.nextNode(), self.rules.partition, lead: self.nextLead())
        let other = self.nodes[self.random.below(self.nodes.count)]
        guard other.isRunning, self.random.chance(60) else { return }
        guard let partition = self.rules.partition(from: other.partition.encoded) else {
            return self.ledger.violated("the snapshot of node \(other.number.rawValue) cannot be read")
        }
        self.nodes[index].partition = partition
        self.nodes[index].place = other.place
    }

    mutating func lifeEnded(_ number: NodeNumber) {
        self.deaths += 1
        self.dead.append(number)
    }
}
