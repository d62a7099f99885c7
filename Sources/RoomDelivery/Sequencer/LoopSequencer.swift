import NIOCore
import RoomCore
import RoomModel

/// Orders what happens in the rooms of a shard on the shard's own event loop: takes their commands, forms batches, has those
/// committed that have to be, and gives them to the owner to be sealed. Confined to the shard's event loop.
final class LoopSequencer: RoomSequencer {
    unowned let owner: RoomOwner
    let context: ShardContext
    private var waiting = LaneQueue<OwnedRoom>()
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

    func makeOrder(of key: RoomKey, in channel: RoomChannel) -> any RoomOrder {
        let limits = self.context.limits
        let settings = channel.roomSettings(of: key.room, limits)
        let room = Room(key: key, settings: settings, epoch: self.context.newEpoch(), limits: limits)
        let ordered = LoopRoom(room, recorder: self.context.environment.recorder)
        if let rules = self.context.sanctions.rules(of: key) { _ = ordered.enqueue(.rules(rules)) }
        return ordered
    }

    /// The order of a room, which this sequencer has made.
    func order(of owned: OwnedRoom) -> LoopRoom { unsafeDowncast(owned.order, to: LoopRoom.self) }

    func room(_ key: RoomKey) -> Room? { self.owner.rooms[key].map { self.order(of: $0).room } }

    // MARK: Commands

    func take(_ command: RoomCommand, in owned: OwnedRoom) -> RoomAnswer? {
        let ordered = self.order(of: owned)
        if let refusal = ordered.enqueue(command, left: self.unstored.left) { return refusal }
        if self.context.lane == .sparse { ordered.laneOfCommands = .sparse }
        self.unstored.changed(ordered)
        self.enqueue(owned)
        return nil
    }

    /// The loop forgets a room with its channel, and its members with it.
    func takeDeparture(_ command: RoomCommand, from key: RoomKey) -> Bool { false }

    func enqueue(_ owned: OwnedRoom) {
        self.waiting.append(owned, to: self.order(of: owned).laneOfCommands)
        self.context.wake()
    }

    // MARK: The turn

    var isIdle: Bool { self.waiting.isEmpty }

    func turn() {
        self.context.answering = 0
        self.advanceFirst(of: .sparse)
        self.advanceFirst(of: .bulk)
    }

    private func advanceFirst(of lane: Lane) {
        var budget = WorkBudget()
        budget.spend(self.workBefore)
        self.workBefore = 0
        while !budget.isSpent, let owned = self.waiting.popFirst(of: lane) {
            if owned.isForgotten { continue }
            let ordered = self.order(of: owned)
            self.advance(ordered, of: owned, &budget)
            budget.spend(self.context.answering)
            self.context.answering = 0
            if !owned.isForgotten { self.owner.list(owned, members: ordered.room.members.count) }
        }
    }

    private func advance(_ ordered: LoopRoom, of owned: OwnedRoom, _ budget: inout WorkBudget) {
        while true {
            switch ordered.advance() {
            case .none:
                self.owner.trackIfDormant(owned)
                return
            case .open:
                self.open(ordered)
                return
            case .clear:
                self.clearLog(of: ordered)
                return
            case .take:
                let encoded = EncodedBatch(self.takeBatch(of: ordered, owned), owned.encoder, ordered.room.epoch)
                budget.spend(encoded.work)
                if encoded.batch.needsCommit {
                    self.commit(encoded, of: ordered, owned)
                    return
                }
                self.unstored.changed(ordered)
                budget.spend(self.owner.seal(encoded, of: owned, ordered.view))
                if ordered.room.hasWaiting {
                    // the other rooms have their turn first
                    self.waiting.append(owned, to: ordered.laneOfCommands)
                    return
                }
            }
        }
    }

    private func takeBatch(of ordered: LoopRoom, _ owned: OwnedRoom) -> RoomBatch {
        let now = self.context.environment.clock()
        let channel = owned.channel
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
        owned.laneOfBatch = ordered.laneOfCommands
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

    // MARK: Memory

    var keyBytes: Int { self.keyBudget.bytes }
    var unstoredBytes: Int { self.unstored.bytes }

    func forget(_ owned: OwnedRoom) {
        let ordered = self.order(of: owned)
        ordered.isForgotten = true
        self.keyBudget.removed(ordered)
        self.unstored.removed(ordered)
        self.context.engine.close(ordered.key)
    }

    /// The store has so much of the room's messages; those that wait may be others than before.
    func atStore(_ bytes: Int, of ordered: LoopRoom) {
        self.unstored.atStore(bytes, ordered)
    }

    /// The room may have other publish keys than before.
    func keysChanged(in ordered: LoopRoom) {
        guard ordered.countedKeys.bytes > 0 || !ordered.room.keys.isEmpty else { return }
        self.keyBudget.changed(ordered)
        self.owner.scheduleSweep()
    }

    func limitKeys(to bytes: Int) -> Bool {
        self.keyBudget.limit = bytes
        return self.keyBudget.forgetSome()
    }

    func forgetOldKeys() -> Bool { self.keyBudget.forgetOld(at: self.context.steadySecond()) }
}
