import DequeModule
package import NIOCore
package import RoomCore
package import RoomModel

/// All of the broker's state that belongs to one event loop: its connections, the rooms that it owns, and its replicas
/// of the rooms that its connections are in.
///
/// Not Sendable: other loops reach it through `ShardRef`. What arrives in one turn of the loop is handled together at the
/// end of that turn: commands become batches, batches become chunks, chunks are written, replies are flushed.
package final class RoomShard {
    package let index: Int
    package let eventLoop: any EventLoop
    let environment: ShardEnvironment
    /// As of the latest change that this shard was told of.
    package internal(set) var channels: ChannelTable
    var stamper: Stamper
    var entropy: Entropy
    var peers: [ShardRef] = []

    var connections = ConnectionTable()
    var sessions = SessionTable()
    var sanctions: SanctionWatch
    var owned: [RoomKey: OwnedRoom] = [:]
    var replicas: [RoomKey: Replica] = [:]
    var budget: WindowBudget
    var dormant: Deque<(key: RoomKey, since: NIODeadline)> = []
    var pageReads = PageReads()
    var externalRequests = ExternalRequests()
    /// What is to be redacted in rooms that this shard owns, the first of each being under way.
    var redactions: [RoomKey: Deque<Redaction>] = [:]
    var isDraining = false
    /// Where what moderators ask for is done; set before anybody connects.
    package var moderationService: (any ModerationService)?

    private var outbox: [[RoomEnvelope]] = []
    private var waitingRooms: Deque<OwnedRoom> = []
    var waitingReplicas: Deque<Replica> = []
    private var waitingConnections: [Connection] = []
    private var isTurnScheduled = false
    /// Rooms whose members have become more or fewer in this turn.
    private var listing: [(key: RoomKey, members: Int)] = []

    let tally = ShardTally()

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
        self.index = index
        self.eventLoop = eventLoop
        self.environment = environment
        self.channels = environment.channels
        self.sanctions = SanctionWatch(environment.moderation)
        self.stamper = Stamper(floor: environment.idFloor)
        self.entropy = entropy
        self.budget = WindowBudget(limit: environment.limits.windowTotal / max(1, shards))
        self.outbox = Array(repeating: [], count: shards)
    }

    /// Tells the shard who the others are, itself included.
    package func connect(_ peers: [ShardRef]) {
        self.peers = peers
    }

    var limits: BrokerLimits { self.environment.limits }
    var ref: ShardRef { self.peers[self.index] }

    // MARK: Connections

    /// Takes a new connection in.
    ///
    /// - Parameters:
    ///   - direct: writes past the pipeline; `nil` where all has to go through it (TLS).
    ///   - address: of the peer, or of whom a proxy speaks for.
    package func makeConnection(
        channel: any Channel,
        direct: (any DirectWriter)?,
        address: IPAddress? = nil
    ) -> Connection {
        let ref = ConnectionRef(shard: self.index, number: self.connections.nextNumber())
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

    package var connectionTotal: Int { self.connections.count }
    /// Rooms that this shard knows of, with members or without.
    package var ownedTotal: Int { self.owned.count }

    /// As of now.
    package var counters: ShardCounters {
        var counters = self.tally.counters
        counters.windowBytes = self.budget.bytes
        return counters
    }

    // MARK: The turn

    /// Puts a command on its way to the room's owner.
    ///
    /// - Returns: the room, where this shard owns it.
    @discardableResult
    func submit(_ command: RoomCommand, to room: RoomName, in channel: RoomChannel) -> OwnedRoom? {
        let key = RoomKey(channel: channel.id, room: room)
        let owner = self.owner(of: key)
        if owner == self.index {
            guard let owned = self.ownedRoom(key) else {
                self.refuse(command, to: key, Session.unknownChannel)
                return nil
            }
            self.accept(command, in: owned)
            return owned
        }
        self.outbox[owner].append(RoomEnvelope(key: key, command: command))
        self.wake()
        return nil
    }

    func owner(of key: RoomKey) -> Int { Int(key.stableHash % UInt64(self.peers.count)) }

    func accept(_ command: RoomCommand, in owned: OwnedRoom) {
        if let error = self.newRoomRefusal(of: command, owned) {
            self.refuse(command, to: owned.key, error)
            if owned.room.isDormant, !owned.isDormant, !owned.isQueued { self.remove(owned) }
            return
        }
        if let error = owned.room.enqueue(command), case .publish(let publish) = command {
            self.send(.refuse(publish.origin, error), to: publish.origin.connection.shard, of: owned)
            return
        }
        self.enqueue(owned)
    }

    func enqueue(_ owned: OwnedRoom) {
        guard !owned.isQueued else { return }
        owned.isQueued = true
        self.waitingRooms.append(owned)
        self.wake()
    }

    func enqueue(_ replica: Replica) {
        guard !replica.isQueued else { return }
        replica.isQueued = true
        self.waitingReplicas.append(replica)
        self.wake()
    }

    /// Flushes the connection's replies at the end of the turn.
    func enqueue(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        self.waitingConnections.append(connection)
        self.wake()
    }

    func wake() {
        guard !self.isTurnScheduled else { return }
        self.isTurnScheduled = true
        self.ref.post { shard in shard.turn() }
    }

    private func turn() {
        self.isTurnScheduled = false
        self.flushOutbox()
        while let owned = self.waitingRooms.popFirst() {
            owned.isQueued = false
            if owned.isForgotten { continue }
            self.advance(owned)
            self.list(owned)
        }
        if !self.listing.isEmpty {
            self.environment.directory.changed(self.listing)
            self.listing.removeAll(keepingCapacity: true)
        }
        self.fanOut()
        let connections = self.waitingConnections
        self.waitingConnections.removeAll(keepingCapacity: true)
        for connection in connections {
            connection.isQueued = false
            connection.flush()
        }
    }

    /// Has the directory told how many members the room has now.
    private func list(_ owned: OwnedRoom) {
        let members = owned.room.members.count
        guard members != owned.listedMembers, !owned.isForgotten else { return }
        self.tally.counters.members += members - owned.listedMembers
        owned.listedMembers = members
        if members == 0 { owned.isNew = true }
        self.tell(.roomChanged(owned.key, members: members))
        self.listing.append((owned.key, members))
    }

    /// Tells those who watch the broker.
    func tell(_ event: @autoclosure () -> AdminEvent.Kind) {
        self.environment.events.post(time: self.environment.clock(), event())
    }

    func flushOutbox() {
        for index in self.outbox.indices where !self.outbox[index].isEmpty {
            let envelopes = self.outbox[index]
            self.outbox[index] = []
            self.peers[index].post { shard in
                for envelope in envelopes {
                    guard let owned = shard.ownedRoom(envelope.key) else {
                        shard.refuse(envelope.command, to: envelope.key, Session.unknownChannel)
                        continue
                    }
                    shard.accept(envelope.command, in: owned)
                }
            }
        }
    }

    // MARK: Time and ids

    var now: NIODeadline { self.eventLoop.now }

    var unixSeconds: Int64 { self.environment.clock() / 1_000 }

    /// A stamp for what the broker itself says.
    func brokerStamp() -> Stamp { self.stamp(by: .broker) }

    func newClientID() -> ClientID {
        ClientID(high: self.entropy.next(), low: self.entropy.next())
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
        self.timer.arm(on: self.eventLoop) { [ref = self.ref] in ref.onLoop.timerFired() }
    }
}

/// A command on its way to another shard.
struct RoomEnvelope: Sendable {
    let key: RoomKey
    let command: RoomCommand
}
