import NIOCore
import RoomCluster
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomDelivery

/// Nodes of a simulated run that die, or are taken for dead.
extension Simulation {
    static func cluster(_ plan: SimulationPlan, _ clock: ManualClock) -> MemoryCluster {
        // a multiple of the shards: each room has the shard that it would have without partitions
        MemoryCluster(partitions: 2 * plan.shards, clock: clock)
    }

    /// - Parameter number: no other node has it, or has had it.
    static func node(
        _ number: UInt32,
        of cluster: MemoryCluster,
        _ plan: SimulationPlan,
        _ clock: ManualClock,
        _ engine: MemoryEngine? = nil
    ) -> TestBroker {
        let seed = plan.seed &+ UInt64(number) &* 1_000_003
        let node = TestBroker(
            shards: plan.shards,
            channels: SimulationPlan.channels,
            limits: SimulationPlan.limits,
            clock: clock,
            engine: engine,
            node: NodeNumber(rawValue: number),
            cluster: cluster,
            seed: seed,
            loopSeed: plan.hasHops ? seed : nil
        )
        node.isHasty = true
        return node
    }

    var nodes: [TestBroker] { [self.broker] + self.others }

    mutating func anyNode() -> TestBroker {
        guard !self.others.isEmpty else { return self.broker }
        let nodes = self.nodes
        return self.draw.one("node", of: nodes.indices, by: \.description).map { nodes[$0] } ?? self.broker
    }

    func runNodes() {
        for node in self.nodes { node.run() }
    }

    // MARK: Deaths

    mutating func disturbNodes() {
        for node in self.nodes where node.hasFailed {
            self.ledger.note("node \(node.node.rawValue) was taken for dead, and comes again")
            self.kill(node, isSaid: true)
        }
        switch self.draw.case("death", below: 200, Death.init) {
        case .dies:
            let node = self.anyNode()
            self.ledger.note("node \(node.node.rawValue) dies")
            self.kill(node, isSaid: self.draw.chance(50, "said"))
        case .isTakenForDead:
            let node = self.anyNode()
            self.ledger.note("node \(node.node.rawValue) is taken for dead")
            self.nodes.first { $0 !== node }?.nodeGone(node.node)
        case .isSaid: self.sayWhoIsDead(by: self.anyNode())
        case .none: break
        }
    }

    private enum Death: String {
        case dies, isTakenForDead, isSaid, none

        init(_ number: Int) {
            self = number < 4 ? .dies : number < 5 ? .isTakenForDead : number < 20 ? .isSaid : .none
        }
    }

    /// Who was taken for dead is back, and who is dead is said to be.
    mutating func bringNodesBack() {
        guard self.plan.hasNodes else { return }
        repeat {
            for node in self.nodes where node.hasFailed { self.kill(node, isSaid: false) }
            // more than once: a node has to find out first whether it is itself cut off
            for _ in 0..<4 {
                for node in self.nodes { self.sayWhoIsDead(by: node) }
                for node in self.nodes { node.advance(by: .seconds(1)) }
            }
            self.letLastRecordsCome()
        } while self.nodes.contains(where: \.hasFailed)
    }

    /// One that says it may die before the logs have it, so it has to be said until they have.
    private func sayWhoIsDead(by node: TestBroker) {
        for dead in self.dead { node.nodeGone(dead) }
    }

    private mutating func kill(_ node: TestBroker, isSaid: Bool) {
        for client in self.clients where client.connection?.broker === node {
            if self.draw.chance(30, "reads") { client.read() }
            client.disconnected()
        }
        for client in self.textClients where client.connection?.broker === node { client.ended() }
        let (engine, _) = self.draw.draws("lost") { node.engine.crash(.ofProcess, using: &$0) }
        node.die()
        self.dead.append(node.node)
        self.revive(node, with: engine)
        if isSaid { self.sayWhoIsDead(by: self.anyNode()) }
    }

    /// The node begins another life with what it has stored.
    private mutating func revive(_ node: TestBroker, with engine: MemoryEngine) {
        guard let cluster else { return }
        self.askAnew()
        let number = UInt32(self.nodes.count + self.dead.count)
        let next = Self.node(number, of: cluster, self.plan, node.clock, engine)
        next.isHasty = node.isHasty
        if node === self.broker {
            self.broker = next
        } else {
            self.others = self.others.map { $0 === node ? next : $0 }
        }
    }

    /// Whoever is in a room by its own node's view is in it on all nodes, and nobody else but those in their grace period.
    func checkMembers(of room: String, in channel: String) {
        guard self.plan.hasNodes else { return }
        let key = RoomKey.make(room, channel: channel)
        let shards = self.nodes.flatMap { $0.shards.map(\.onLoop) }
        let present = shards.flatMap(\.connections.all).compactMap(\.member)
            .filter { $0.channel.id == key.channel && $0.session.rooms[key.room] != nil }
            .map(\.session.identity.clientID.text)
        let mayLinger = shards.contains { $0.sessions.lingeringEntries > 0 }
        for shard in shards {
            guard let members = shard.owner.sequencer.room(key)?.members else { continue }
            let clients = members.senders.compactMap(\.clientID)
                .filter { !mayLinger || members[$0]?.connection != nil }
                .map(\.text)
            self.ledger.check(
                Set(clients) == Set(present),
                "the members of \(room) are \(clients), and those who are there \(present)"
            )
        }
    }
}

extension TestBroker {
    /// It does not follow a log any more.
    var hasFailed: Bool {
        self.partitionStates.values.contains { if case .failed = $0 { true } else { false } }
    }
}
