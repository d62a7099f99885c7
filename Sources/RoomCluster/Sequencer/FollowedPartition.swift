import NIOCore
import RoomCore
import RoomDelivery
import RoomModel

/// A partition of the cluster on this node: it follows the log, applies each record to the rooms, has what they change stored in
/// the node's history, and sends what the node's clients do.
///
/// Confined to its event loop; what comes from other threads is posted there. The rules are those of pure values: `Partition`,
/// `Projection`, `RecordSender`. Here they are given time, the log and the history.
final class FollowedPartition {
    let environment: PartitionEnvironment
    private let eventLoop: any EventLoop
    unowned let delegate: any PartitionDelegate
    var rooms: FollowedRooms?
    var sender: RecordSender
    var log: (any PartitionLog)?
    /// Counts how often the history was opened: what is posted from before means nothing.
    private var opening = 0
    var held = HeldRecords()
    /// The delegate was told of everything through this record.
    var delivered: KnownRecord?
    /// When a record of this life has counted: everything that was in the log before the node came has been applied.
    var lastCounted: UInt64?
    var isConnected = false
    private var isFlushScheduled = false
    var lastRecord: UInt64 = 0
    /// When a record of each node has counted here.
    var heard: [NodeNumber: UInt64] = [:]
    /// When the partition's rooms were read that it goes on from.
    private var openedAt: UInt64 = 0
    /// When the node's next proof of life is due here.
    private var nextProof: UInt64?
    /// When the log was last asked whether it stands still.
    private var doubtedAt: UInt64 = 0
    private var timer: (time: UInt64, task: Scheduled<Void>)?
    private(set) var state = PartitionState.catchingUp

    /// The history is opened again after that.
    private static let pause = TimeAmount.seconds(1)
    /// A tick is sent if something waits for a time and there was no record for so long.
    private static let longestSilence: UInt64 = 1_000_000_000
    /// So long what is sent may take, and then so long between two doubts.
    private static let doubt: UInt64 = 1_000_000_000
    /// For so long it counts that something of this node's has counted.
    private static let proofOfLife: UInt64 = 2_000_000_000

    init(_ environment: PartitionEnvironment, on eventLoop: any EventLoop, _ delegate: any PartitionDelegate) {
        self.environment = environment
        self.eventLoop = eventLoop
        self.delegate = delegate
        self.sender = RecordSender(node: environment.node)
    }

    var now: UInt64 { self.eventLoop.now.uptimeNanoseconds }

    /// As of the newest record that was applied; `nil` until the history is open.
    var partition: Partition? { self.rooms?.partition }

    // MARK: Life

    /// Opens the history, and follows the log behind it. Called once.
    func start() {
        self.sender.addTick(now: self.now)
        self.nextProof = self.environment.proof?.firstTick(of: self.environment.partition, now: self.now)
        self.open()
    }

    /// Follows no more. What waits to be stored is in the log, and is applied again at the next start.
    func close() { self.end(.closed) }

    func fail(_ failure: PartitionFailure) { self.end(.failed(failure)) }

    private func end(_ state: PartitionState) {
        guard !self.state.isLast else { return }
        self.unfollow()
        self.timer?.task.cancel()
        self.timer = nil
        self.endReads()
        self.change(to: state)
        self.delegate.answered(self.sender.logEnded())
    }

    private func unfollow() {
        self.opening += 1
        self.log?.close()
        self.log = nil
        self.isConnected = false
        self.held = HeldRecords()
    }

    func open() {
        self.unfollow()
        let post = self.poster()
        self.environment.history.openPartition(self.environment.partition, of: self.environment.logName) { found in
            post { $0.opened(found) }
        }
    }

    private func opened(_ result: Result<ProjectedPartition, ProjectionError>) {
        switch result {
        case .success(let found) where found.snapshot == nil && !self.environment.beginsEmpty: self.fail(.noBeginning)
        case .success(let found):
            do throws(RecordError) {
                let partition = try self.environment.partition(of: found)
                self.rooms = FollowedRooms(partition: partition, projection: Projection(found, now: self.now))
                self.openedAt = self.now
                // nobody was here to be told
                self.delivered = [self.delivered, found.newest].compactMap(\.self).max { $0.place < $1.place }
                self.follow()
            } catch {
                self.fail(.snapshot(error))
            }
        case .failure(.unavailable): self.openLater()
        case .failure(let error): self.fail(.history(error))
        }
    }

    private func openLater() {
        let post = self.poster()
        self.eventLoop.scheduleTask(in: Self.pause) { post { $0.open() } }
    }

    /// Follows the log behind the newest record that was applied.
    func follow() {
        let log = self.environment.log()
        self.log = log
        let post = self.poster()
        log.follow(from: self.next, reaching: self.delivered) { event in post { $0.told(event) } }
        self.settle()
    }

    /// The place of the next record that is to be told.
    var next: LogOffset { (self.held.last ?? self.rooms?.partition.accepted.place)?.next ?? .first }

    private func change(to state: PartitionState) {
        guard state != self.state else { return }
        self.state = state
        self.delegate.partitionChanged(to: state)
    }

    /// Calls on the event loop, unless the history is opened anew before.
    func poster() -> @Sendable (@escaping @Sendable (FollowedPartition) -> Void) -> Void {
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: self.eventLoop), self.eventLoop)
        let opening = self.opening
        return { call in
            eventLoop.execute {
                if bound.value.opening == opening { call(bound.value) }
            }
        }
    }

    // MARK: Commands of this node's clients

    /// Sends a command on its way to the log.
    ///
    /// - Returns: the answer to it if the others have taken this node for dead.
    func add(_ entry: PartitionRecord.Command) -> RoomAnswer? {
        let refusal = self.sender.add(entry, now: self.now)
        if refusal == nil { self.scheduleFlush() }
        return refusal
    }

    /// When each node that is not gone was heard last. One that was not heard since the rooms were read has its time from then on.
    var nodes: [NodeNumber: UInt64] {
        guard let partition else { return [:] }
        return Dictionary(uniqueKeysWithValues: partition.accepted.nodes.map { ($0, self.heard[$0] ?? self.openedAt) })
    }

    /// Sends on its way that another node does not live any more, unless the log says so. To be called until it does, once a
    /// second.
    ///
    /// A node that nobody hears may be alive where this one is cut off: so it is said only just after something of this node's has
    /// counted. What is said in vain would otherwise be stored as soon as the two see each other again.
    func addGone(_ node: NodeNumber) {
        guard self.partition?.accepted.nextNumber(of: node) != nil else { return }
        if let lastCounted, self.now - lastCounted <= Self.proofOfLife {
            self.sender.addGone(node, now: self.now)
        } else if self.sender.isIdle {
            self.sender.addTick(now: self.now)
        }
        self.scheduleFlush()
    }

    /// Sends on its way that the log has the text of a redacted message no more.
    func addErased(_ message: UniqueID) {
        self.sender.addErased(message, now: self.now)
        self.scheduleFlush()
    }

    /// Sends a tick on its way, which has a snapshot of the rooms stored with it.
    func addSnapshot() {
        self.rooms?.projection.wantSnapshot()
        self.sender.addTick(now: self.now)
        self.scheduleFlush()
    }

    /// Sends on its way that messages of a room are not kept any more.
    func addPruned(_ room: RoomKey, through place: Position) {
        self.sender.addPruned(room, through: place, now: self.now)
        self.scheduleFlush()
    }

    /// Sends a part of an export on its way that becomes messages of a room.
    func addImport(_ part: ImportRecord) {
        self.sender.addImport(part, now: self.now)
        self.scheduleFlush()
    }

    /// All commands of one turn of the event loop make one record, as far as it has room for them.
    private func scheduleFlush() {
        guard !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.execute {
            bound.value.isFlushScheduled = false
            bound.value.settle()
        }
    }

    func run(_ actions: [RecordSender.Action]) {
        for action in actions {
            switch action {
            case .append(let bytes): self.log?.append(bytes)
            case .answer(let answers): self.delegate.answered(answers)
            }
        }
    }

    // MARK: The end of a step

    /// Whatever has happened: sends and stores what is due, and sets the timer for what comes next.
    func settle() {
        guard !self.state.isLast else { return }
        let now = self.now
        if let silence, silence <= now { self.sender.addTick(now: now) }
        if let nextProof, nextProof <= now { self.prove(now: now) }
        if let doubt, doubt <= now {
            self.doubtedAt = now
            self.log?.doubt()
        }
        if let deadline = self.sender.deadline, deadline <= now { self.run(self.sender.timePassed(now: now)) }
        // what is sent into no log would be taken for lost
        if self.log != nil { self.run(self.sender.flush(now: now)) }
        self.store()
        self.change(to: self.stateNow)
        self.setTimer()
    }

    /// The node shows that it lives, unless it has just shown it here.
    private func prove(now: UInt64) {
        guard let proof = self.environment.proof else { return }
        self.nextProof = now + proof.interval
        let isProven = self.lastCounted.map { now - $0 < ProofOfLife.step } ?? false
        if !isProven, self.sender.isIdle { self.sender.addTick(now: now) }
    }

    /// When a tick is due: something waits for a time.
    private var silence: UInt64? {
        guard self.rooms?.partition.waitsForTime ?? false, self.sender.isIdle else { return nil }
        return self.lastRecord + Self.longestSilence
    }

    /// When the log is to be asked whether it stands still.
    private var doubt: UInt64? { self.sender.waitsSince.map { max($0, self.doubtedAt) + Self.doubt } }

    /// Nothing of this node's has counted for as long as a proof of life holds.
    private var standsStill: Bool {
        self.sender.waitsSince.map { self.now - min(self.now, $0) > ProofOfLife.limit } ?? false
    }

    private var stateNow: PartitionState {
        guard let rooms, self.lastCounted != nil, !rooms.projection.isLost, rooms.has(self.delivered?.place) else {
            return .catchingUp
        }
        if rooms.projection.isFailing { return .failing }
        return self.isConnected && !self.standsStill ? .ready : .disconnected
    }

    private func setTimer() {
        let times = [self.silence, self.nextProof, self.doubt, self.sender.deadline, self.rooms?.projection.deadline]
        guard let next = times.compactMap(\.self).min() else { return }
        if let timer {
            guard next < timer.time else { return }
            timer.task.cancel()
        }
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let task = self.eventLoop.scheduleTask(deadline: .uptimeNanoseconds(next)) {
            bound.value.timer = nil
            bound.value.settle()
        }
        self.timer = (next, task)
    }
}
