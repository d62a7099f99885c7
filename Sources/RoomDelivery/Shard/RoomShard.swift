import DequeModule
package import NIOCore
package import RoomCore
package import RoomModel

/// All of the broker's state that belongs to one event loop: its connections, the rooms that it owns (`RoomOwner`), and its
/// replicas of the rooms that its connections are in (`LocalRooms`).
///
/// Not Sendable: other loops reach it through `ShardRef`. Input that arrives in one turn of the loop is handled
/// together at the end of that turn: commands become batches, batches become chunks, chunks are written, replies are
/// flushed.
package final class RoomShard {
    let context: ShardContext
    package let owner: RoomOwner
    let local: LocalRooms
    /// Gives the connections their turns.
    package let flows: FairQueue

    var connections = ConnectionTable()
    var sessions: SessionTable
    /// Where what is posted to event streams goes.
    package var eventInlets = EventInlets()
    /// Where what moderators ask for is done; set before anybody connects.
    package var moderationService: (any ModerationService)?

    /// Whether the broker knows what all nodes have agreed on; `nil`: it runs alone.
    let proof: ProofOfLife?
    /// Clients whose requests wait, or that have to go, while the broker may not know it.
    var cutOff = CutOff()
    var cutOffTask: Scheduled<Void>?

    private var outbox: [[RoomEnvelope]] = []
    private var waitingConnections: Deque<Connection> = []
    private var timer = DeadlineTimer()

    /// Makes a shard on its event loop. `connect` has to follow before it is used.
    package static func make(
        index: Int,
        eventLoop: any EventLoop,
        environment: ShardEnvironment,
        shards: Int,
        entropy: Entropy
    ) -> ShardRef {
        let shard = RoomShard(
            index: index,
            eventLoop: eventLoop,
            environment: environment,
            shards: shards,
            entropy: entropy
        )
        return ShardRef(shard)
    }

    private init(
        index: Int,
        eventLoop: any EventLoop,
        environment: ShardEnvironment,
        shards: Int,
        entropy: Entropy
    ) {
        self.context = ShardContext(
            index: index,
            eventLoop: eventLoop,
            environment: environment,
            shards: shards,
            entropy: entropy
        )
        self.proof = environment.ordering.proof
        self.owner = RoomOwner(self.context, shards: shards)
        self.local = LocalRooms(self.context)
        self.flows = FairQueue { [context = self.context] in
            context.wakeAfterIO()
        } isLoopIdle: { [owner = self.owner, local = self.local] in
            owner.isIdle && local.isIdle
        } looks: { [context = self.context] in
            context.loopTicks
        } now: { [context = self.context] in
            context.now
        } laneChanged: { [context = self.context] lane in
            context.lane = lane
        }
        self.sessions = SessionTable(lingeringLimit: environment.limits.lingeringRooms / max(1, shards))
        self.outbox = Array(repeating: [], count: shards)
    }

    /// Tells the shard who the others are, itself included.
    package func connect(_ peers: [ShardRef]) {
        self.context.peers = peers
    }

    // MARK: Connections

    /// Takes a new connection in.
    ///
    /// - Parameters:
    ///   - direct: writes past the pipeline; `nil` where all has to go through it (TLS).
    ///   - address: of the peer, or of the client that a proxy speaks for.
    package func makeConnection(
        channel: any Channel,
        direct: (any DirectWriter)?,
        address: IPAddress? = nil
    ) -> Connection {
        let ref = self.context.connectionRef(self.connections.nextNumber())
        let connection = Connection(
            ref: ref,
            shard: self,
            writer: ConnectionWriter(channel: channel, direct: direct)
        )
        self.connections.add(connection)
        connection.address = address
        self.tally.opened(connection.wireFormat)
        self.environment.observer?.opened(ref, from: address)
        return connection
    }

    /// Counts a connection that was closed at once, because enough others are being refused.
    package func turnedAway() {
        self.tally.turnedAway()
    }

    package var connectionTotal: Int { self.connections.count }
    /// Rooms that this shard knows of, with members or without.
    var ownedTotal: Int { self.owner.rooms.count }

    /// As of now.
    var counters: ShardCounters {
        var counters = self.tally.counters
        counters.windowBytes = self.owner.windowBytes
        counters.memory.held = self.context.memory.held
        counters.memory.kept = self.context.memory.kept.total
        counters.memory.limit = self.context.memory.bound
        let busy = self.flows.busy.latest
        counters.heldBack = busy.count
        counters.busiest.connection = busy.busiest.first?.percent ?? 0
        counters.busiest.address = busy.addresses.first?.percent ?? 0
        counters.busiest.room = busy.rooms.first?.percent ?? 0
        return counters
    }

    // MARK: The turn

    /// Puts a command on its way to the room's owner.
    ///
    /// - Returns: the room, where this shard owns it.
    @discardableResult
    func submit(_ command: RoomCommand, to room: RoomName, in channel: RoomChannel) -> OwnedRoom? {
        let key = RoomKey(channel: channel.id, room: room)
        let owner = self.context.owner(of: key)
        if owner == self.context.index { return self.owner.take(command, for: key) }
        self.outbox[owner].append(RoomEnvelope(key: key, command: command, lane: self.context.lane))
        self.context.wake()
        return nil
    }

    /// Gives a command to many rooms: at once, or in turns with the connections where they are too many for that.
    ///
    /// - Parameter share: what is left to those for whom it is done.
    @discardableResult
    func submit(
        _ command: RoomCommand,
        to rooms: some Sequence<RoomName>,
        in channel: RoomChannel,
        sharing group: WorkGroup?,
        share: WorkShare
    ) -> LongWork {
        var rest = rooms.makeIterator()
        let work = LongWork(in: self.flows, sharing: group, share: share) { [unowned self] in
            guard let room = rest.next() else { return nil }
            self.submit(command, to: room, in: channel)
            return Work.roomOfMany
        }
        work.takeTurn()
        return work
    }

    /// Takes the subscribers of a session that has ended out of the replicas of their rooms: in turns with the connections,
    /// because thousands may end at once.
    func remove(_ subscribers: [RoomName: Subscriber], sharing group: WorkGroup?, share: WorkShare) {
        guard !subscribers.isEmpty else { return }
        var rest = subscribers.values.makeIterator()
        let work = LongWork(in: self.flows, sharing: group, share: share) {
            guard let subscriber = rest.next() else { return nil }
            subscriber.replica.remove(subscriber)
            return 1
        }
        work.takeTurn()
    }

    /// Flushes the connection's replies at the end of the turn.
    func enqueue(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        self.waitingConnections.append(connection)
        self.wake()
    }

    func turn() {
        if self.context.turnBegins() { self.doTurn() }
    }

    private func doTurn() {
        self.flushOutbox()
        self.owner.turn()
        self.local.fanOut()
        self.flushConnections()
        self.shareMemory()
        self.context.turnEnds()
    }

    /// The loop has looked at its sockets: those who wait have their turn, and what the last turn left is done.
    func turnAfterIO() {
        self.context.turnAfterIOBegins()
        self.flows.serve()
        self.doTurn()
    }

    /// Rooms and what is remembered for them share one bound: where they take more, some of it is forgotten.
    private func shareMemory() {
        self.context.memory.kept.lingering = self.sessions.lingeringEntries * MemoryBound.entry
        let hasForgotten = self.owner.shareMemory()
        let ended = self.sessions.limitLingering(to: self.context.memory.limits.lingering / MemoryBound.entry)
        for session in ended { self.leave(session) }
        if hasForgotten || !ended.isEmpty { self.context.wakeAfterIO() }
    }

    private func flushConnections() {
        var budget = WorkBudget()
        while let connection = self.waitingConnections.popFirst() {
            connection.isQueued = false
            connection.flush(&budget)
            guard !budget.isSpent || self.waitingConnections.isEmpty else { return self.context.wakeAfterIO() }
        }
    }

    func flushOutbox() {
        for index in self.outbox.indices where !self.outbox[index].isEmpty {
            let envelopes = self.outbox[index]
            self.outbox[index] = []
            self.peers[index].post { shard in
                for envelope in envelopes {
                    shard.context.lane = envelope.lane
                    shard.owner.take(envelope.command, for: envelope.key)
                }
                shard.context.lane = .sparse
            }
        }
    }

    // MARK: Shared with the parts of the shard

    var index: Int { self.context.index }
    package var eventLoop: any EventLoop { self.context.eventLoop }
    /// As of the latest change that this shard was told of.
    package var channels: ChannelTable { self.context.channels }
    var environment: ShardEnvironment { self.context.environment }
    var limits: BrokerLimits { self.context.limits }
    var peers: [ShardRef] { self.context.peers }
    var ref: ShardRef { self.context.ref }
    var tally: ShardTally { self.context.tally }
    var isDraining: Bool { self.context.isDraining }
    var now: NIODeadline { self.context.now }

    func wake() { self.context.wake() }

    func tell(_ event: @autoclosure () -> BrokerEvent.Kind) { self.context.tell(event()) }

    /// For tokens.
    var unixSeconds: Int64 { self.environment.machineClock() / 1_000 }

    /// A stamp for what the broker itself says.
    func brokerStamp() -> Stamp { self.context.stamp(by: .broker) }

    func newClientID() -> ClientID {
        ClientID(high: self.context.entropy.next(), low: self.context.entropy.next())
    }

    func setDeadline(_ kind: Deadlines.Kind, in time: TimeAmount) {
        self.timer.add(kind, at: self.now + time, on: self.eventLoop) {
            self.isPending($0)
        } fire: { [ref = self.ref] in
            ref.onLoop.timerFired()
        }
    }

    private func timerFired() {
        self.timer.fired()
        while let kind = self.timer.popPassed(self.now) { self.deadlinePassed(kind) }
        self.timer.rearm(on: self.eventLoop) {
            self.isPending($0)
        } fire: { [ref = self.ref] in
            ref.onLoop.timerFired()
        }
    }
}

/// A command on its way to another shard.
struct RoomEnvelope: Sendable {
    let key: RoomKey
    let command: RoomCommand
    let lane: Lane
}
