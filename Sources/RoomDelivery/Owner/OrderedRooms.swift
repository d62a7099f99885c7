import NIOCore
import RoomCore
import RoomModel

/// Orders what happens in the rooms of a shard on the shard's own event loop: takes their commands, forms batches, has those
/// committed that have to be, and gives them to the owner to be sealed. Confined to the shard's event loop.
final class OrderedRooms {
    unowned let owner: RoomOwner
    let context: ShardContext
    private var waiting = LaneQueue<OrderedRoom>()
    private var keyBudget: KeyBudget
    private var unstored: CommitBacklog
    /// The work that was done outside of a turn: it counts in the next one.
    var workBefore = 0

    init(_ owner: RoomOwner, shards: Int) {
        self.owner = owner
        self.context = owner.context
        self.keyBudget = KeyBudget(limit: self.context.memory.limits.publishKeys)
        self.unstored = CommitBacklog(limit: self.context.limits.backlogTotal / max(1, shards))
    }

    /// The bytes that the publish keys of all rooms take.
    var keyBytes: Int { self.keyBudget.bytes }
    /// The bytes of their messages that are not stored yet.
    var unstoredBytes: Int { self.unstored.bytes }

    func makeRoom(_ key: RoomKey, of channel: RoomChannel) -> OrderedRoom {
        let limits = self.context.limits
        let settings = channel.roomSettings(of: key.room, limits)
        let room = Room(key: key, settings: settings, epoch: self.context.newEpoch(), limits: limits)
        let ordered = OrderedRoom(room, recorder: self.context.environment.recorder)
        if let rules = self.context.sanctions.rules(of: key) { _ = ordered.enqueue(.rules(rules)) }
        return ordered
    }

    // MARK: Commands

    /// - Returns: the answer to the command where too much waits for the store already.
    func take(_ command: RoomCommand, in ordered: OrderedRoom) -> RoomAnswer? {
        if let refusal = ordered.enqueue(command, left: self.unstored.left) { return refusal }
        if self.context.lane == .sparse { ordered.laneOfCommands = .sparse }
        self.unstored.changed(ordered)
        self.enqueue(ordered)
        return nil
    }

    func enqueue(_ ordered: OrderedRoom) {
        self.waiting.append(ordered, to: ordered.laneOfCommands)
        self.context.wake()
    }

    // MARK: The turn

    /// Nothing waits in the rooms.
    var isIdle: Bool { self.waiting.isEmpty }

    /// Does what waits in the rooms: a batch of each in turn, until it has cost the budget.
    func turn() {
        self.context.answering = 0
        self.advanceFirst(of: .sparse)
        self.advanceFirst(of: .bulk)
    }

    private func advanceFirst(of lane: Lane) {
        var budget = WorkBudget()
        budget.spend(self.workBefore)
        self.workBefore = 0
        while !budget.isSpent, let ordered = self.waiting.popFirst(of: lane) {
            if ordered.isForgotten { continue }
            self.advance(ordered, &budget)
            budget.spend(self.context.answering)
            self.context.answering = 0
            if !ordered.isForgotten { self.owner.list(ordered.owned, members: ordered.room.members.count) }
        }
    }

    private func advance(_ ordered: OrderedRoom, _ budget: inout WorkBudget) {
        while true {
            switch ordered.advance() {
            case .none:
                self.owner.trackIfDormant(ordered.owned)
                return
            case .open:
                self.open(ordered)
                return
            case .clear:
                self.clearLog(of: ordered)
                return
            case .take:
                let encoded = EncodedBatch(self.takeBatch(of: ordered), ordered.owned.encoder, ordered.room.epoch)
                budget.spend(encoded.work)
                self.context.busyRooms.spent(encoded.work, on: ordered.owned)
                if encoded.batch.needsCommit {
                    self.commit(encoded, of: ordered)
                    return
                }
                self.unstored.changed(ordered)
                budget.spend(self.owner.seal(encoded, of: ordered.owned, RoomView(ordered.room)))
                if ordered.room.hasWaiting {
                    // the other rooms have their turn first
                    self.waiting.append(ordered, to: ordered.laneOfCommands)
                    return
                }
            }
        }
    }

    private func takeBatch(of ordered: OrderedRoom) -> RoomBatch {
        let now = self.context.environment.clock()
        let channel = ordered.owned.channel
        let (usage, hadPlace) = (channel.usage, !ordered.room.members.isEmpty)
        let hasPlace =
            hadPlace
            || ordered.room.mayGetMembers && usage.roomBecameActive(limit: channel.roomLimit(self.context.limits))
        let turn = RoomTurn(
            milliseconds: now,
            steadyMilliseconds: self.context.steadyMilliseconds(at: now),
            ids: (ordered.stamper ?? self.context.stamper).ids(now: now, seed: self.context.entropy.next()),
            hasPlace: hasPlace
        )
        let batch = ordered.takeBatch(turn)
        if hasPlace, ordered.room.members.isEmpty { usage.roomBecameDormant() }
        ordered.owned.laneOfBatch = ordered.laneOfCommands
        // a room with more than one batch does not delay those that have little
        ordered.laneOfCommands = .bulk
        if ordered.stamper == nil {
            self.context.stamper.used(batch.turn.ids)
        } else {
            ordered.stamper?.used(batch.turn.ids)
        }
        self.keysChanged(in: ordered)
        return batch
    }

    // MARK: What is forgotten

    /// The owner forgets the room.
    func remove(_ ordered: OrderedRoom) {
        ordered.isForgotten = true
        self.keyBudget.removed(ordered)
        self.unstored.removed(ordered)
        self.context.engine.close(ordered.key)
    }

    /// The store has so much of the room's messages; those that wait may be others than before.
    func atStore(_ bytes: Int, of ordered: OrderedRoom) {
        self.unstored.atStore(bytes, ordered)
    }

    /// The room may have other publish keys than before.
    func keysChanged(in ordered: OrderedRoom) {
        guard ordered.countedKeys.bytes > 0 || !ordered.room.keys.isEmpty else { return }
        self.keyBudget.changed(ordered)
        self.owner.scheduleSweep()
    }

    /// Keeps no more publish keys from now on than there is memory for.
    func limitKeys(to limit: Int) { self.keyBudget.limit = limit }

    /// Forgets some of the oldest publish keys where there are too many.
    ///
    /// - Returns: whether there were.
    func forgetSomeKeys() -> Bool { self.keyBudget.forgetSome() }

    /// Forgets publish keys that have lived long enough.
    ///
    /// - Returns: whether there are more of them.
    func forgetOldKeys() -> Bool { self.keyBudget.forgetOld(at: self.context.steadySecond()) }
}
