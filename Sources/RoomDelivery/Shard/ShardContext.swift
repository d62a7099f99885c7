package import NIOCore
package import RoomCore
package import RoomModel

/// The context that the parts of a shard share: the event loop, time and ids, the channels as the shard was told of
/// them, and the way to the other shards. Confined to the event loop.
package final class ShardContext {
    package let index: Int
    package let eventLoop: any EventLoop
    package let environment: ShardEnvironment
    let tally = ShardTally()
    var memory: SharedMemory
    var busyRooms = BusyRooms()
    /// As of the latest change that this shard was told of.
    var channels: ChannelTable
    var sanctions: SanctionWatch
    /// All shards, this one included.
    package internal(set) var peers: [ShardRef] = [] {
        didSet { self.reader = self.environment.ordering.reader(of: self.engine, over: self.peers) }
    }
    /// Reads what is stored.
    private(set) var reader: any LogReader
    var stamper: Stamper
    private(set) var steadyClock = SteadyClock()
    var entropy: Entropy
    var isDraining = false
    /// The work of long answers that came of what a room did in this turn.
    var answering = 0
    /// The lane of the flow that works now.
    var lane = Lane.sparse
    private var nextTurn = NextTurn.none
    private var isInTurn = false
    /// How often the loop had looked at its sockets at the last turn that had to wait for that.
    private var lastLook: Int?
    /// Counts the turns.
    private(set) var turn = 0

    private enum NextTurn {
        case none, posted, afterIO
    }

    init(index: Int, eventLoop: any EventLoop, environment: ShardEnvironment, shards: Int, entropy: Entropy) {
        self.index = index
        self.eventLoop = eventLoop
        self.environment = environment
        self.reader = environment.engine
        self.memory = SharedMemory(environment.limits, shards: shards)
        self.channels = environment.channels
        self.sanctions = SanctionWatch(environment.moderation)
        self.stamper = Stamper(floor: environment.idFloor)
        self.entropy = entropy
    }

    package var limits: BrokerLimits { self.environment.limits }
    var engine: any RoomEngine { self.environment.engine }
    package var ref: ShardRef { self.peers[self.index] }

    /// Names something of this shard's that waits for answers of rooms.
    func connectionRef(_ number: UInt64) -> ConnectionRef {
        ConnectionRef(shard: self.index, number: number, node: self.environment.node)
    }

    // MARK: Time and ids

    var now: NIODeadline { self.eventLoop.now }

    /// A time that goes on evenly whoever sets the clock.
    func steadyMilliseconds(at milliseconds: Int64) -> Int64 {
        self.steadyClock.milliseconds(at: milliseconds) { self.now.uptimeNanoseconds }
    }

    /// The same, now and in seconds.
    func steadySecond() -> UInt32 {
        self.steadyClock.second(at: self.environment.clock()) { self.now.uptimeNanoseconds }
    }

    /// Has the steady clock notice where the machine's clock has been set.
    func compareClocks() {
        self.steadyClock.compare(self.environment.clock(), uptime: self.now.uptimeNanoseconds)
    }

    package func newEpoch() -> Epoch { Epoch(rawValue: self.entropy.next()) }

    func stamp(by sender: Sender) -> Stamp {
        Stamp(id: self.stamper.next(now: self.environment.clock(), seed: self.entropy.next()), sender: sender)
    }

    // MARK: Bans and mutes

    func activeSanctions(of person: SanctionedPerson, in channel: ChannelID) -> ActiveSanctions {
        self.sanctions.activeSanctions(of: person, in: channel, now: self.environment.clock())
    }

    /// Why somebody without a connection cannot publish, as its bans and mutes go.
    func sanction(on person: SanctionedPerson, publishingInto key: RoomKey) -> RequestError? {
        let activeSanctions = self.activeSanctions(of: person, in: key.channel)
        if let ban = activeSanctions.ban(from: key.room) { return .banned(ban) }
        return activeSanctions.mute(in: key.room).map { .muted($0) }
    }

    // MARK: The turn

    /// Has the shard do at the end of this turn of the loop what waits for it.
    package func wake() {
        guard self.nextTurn == .none else { return }
        self.nextTurn = .posted
        self.ref.post { shard in shard.turn() }
    }

    /// Has the shard go on with what a turn has left, when the loop has looked at its sockets. A task that is posted
    /// would come before: NIO runs all that its tasks post before it selects again.
    func wakeAfterIO() {
        guard self.nextTurn != .afterIO else { return }
        self.nextTurn = .afterIO
        // at the end of the turn: what is due when the turn is over would not wait for the sockets
        if !self.isInTurn { self.scheduleTurnAfterIO() }
    }

    private func scheduleTurnAfterIO() {
        self.afterIO(since: self.lastLook) { $0.turnAfterIO() }
    }

    /// - Returns: whether it is still to come: another one is scheduled in its place otherwise.
    func turnBegins() -> Bool {
        guard self.nextTurn == .posted else { return false }
        self.beginTurn()
        return true
    }

    func turnAfterIOBegins() {
        self.lastLook = self.loopTicks
        self.beginTurn()
    }

    private func beginTurn() {
        self.nextTurn = .none
        self.isInTurn = true
        self.turn &+= 1
    }

    func turnEnds() {
        self.isInTurn = false
        if self.nextTurn == .afterIO { self.scheduleTurnAfterIO() }
    }

    // MARK: After I/O

    /// How often the loop has looked at its sockets; `nil`: nobody counts that.
    var loopTicks: Int? { self.environment.loopTicks?() }

    /// Does something when the loop has looked at its sockets again since it had done so `looks` times.
    func afterIO(since looks: Int?, _ work: @escaping @Sendable (RoomShard) -> Void) {
        self.afterIO(since: looks, in: self.environment.pauseForIO, work)
    }

    /// NIO runs all that its tasks schedule and that comes due meanwhile before it selects again. A task that comes too early
    /// is put off for twice as long: otherwise a slow machine, for which the pause is too short, would never select.
    private func afterIO(since looks: Int?, in pause: TimeAmount, _ work: @escaping @Sendable (RoomShard) -> Void) {
        self.eventLoop.scheduleTask(in: pause) { [ref = self.ref] in
            let shard = ref.onLoop
            guard let looks, looks == shard.context.loopTicks else { return work(shard) }
            shard.context.afterIO(since: looks, in: min(pause * 2, .milliseconds(1)), work)
        }
    }

    // MARK: To the other shards

    func owner(of room: RoomKey) -> Int { self.environment.ordering.owner(of: room, shards: self.peers.count) }

    func deliver(_ delivery: ShardDelivery, to shard: Int) {
        if shard == self.index {
            self.ref.onLoop.receive(delivery)
        } else {
            self.peers[shard].post { peer in peer.receive(delivery) }
        }
    }

    /// Tells the owner of a room what a read has shown of its log.
    func report(_ report: LogReport, of room: RoomKey, _ log: LogID) {
        let owner = self.owner(of: room)
        if owner == self.index {
            self.ref.onLoop.owner.logReported(report, of: room, log)
        } else {
            self.peers[owner].post { peer in peer.owner.logReported(report, of: room, log) }
        }
    }

    /// Tells those who watch the broker.
    func tell(_ event: @autoclosure () -> BrokerEvent.Kind) {
        self.environment.events.post(time: self.environment.clock(), event())
    }
}
