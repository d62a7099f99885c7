import NIOCore
package import RoomCore
package import RoomModel

/// The rooms that a shard owns: it has their commands put in order, seals the batches that come of it into chunks, and sends
/// those to the shards that have members. Confined to the shard's event loop.
package final class RoomOwner {
    package let context: ShardContext
    private(set) var rooms = ShardRooms<OwnedRoom>()
    /// Gives the rooms their order.
    package private(set) lazy var sequencer = self.context.environment.ordering.sequencer(
        for: self,
        shards: self.shards
    )
    /// Requests that came without a connection.
    var requests = ExternalRequests()
    private(set) lazy var redactions = RedactionQueue(owner: self)
    var acts: RoomActs { RoomActs(owner: self) }
    var watches = RoomWatches()
    var budget: WindowBudget
    private let shards: Int
    private var dormant = DormantRooms()
    private var emptyRoomLimit: Int
    private var isSweepScheduled = false
    /// Rooms whose members have become more or fewer in this turn.
    private var listing: [(key: RoomKey, members: Int)] = []

    init(_ context: ShardContext, shards: Int) {
        self.context = context
        let limits = context.memory.limits
        self.budget = WindowBudget(limit: limits.windows)
        self.emptyRoomLimit = limits.emptyRooms / MemoryBound.emptyRoom
        self.shards = shards
    }

    /// The bytes that the memory windows of all rooms take.
    var windowBytes: Int { self.budget.bytes }

    /// `nil` where the channel has been deleted.
    package func room(_ key: RoomKey) -> OwnedRoom? {
        if let owned = self.rooms[key] { return owned }
        guard let channel = self.context.channels[key.channel] else { return nil }
        let order = self.sequencer.makeOrder(of: key, in: channel)
        let owned = OwnedRoom(key, of: channel, orderedBy: order, shards: self.context.peers.count)
        owned.isHeardLater = key == self.context.environment.textRoom
        self.rooms.add(owned)
        return owned
    }

    // MARK: Commands

    /// Gives a command to its room, or answers it where the room cannot be.
    ///
    /// - Returns: the room.
    @discardableResult
    package func take(_ command: RoomCommand, for key: RoomKey) -> OwnedRoom? {
        guard let owned = self.room(key) else {
            if self.sequencer.takeDeparture(command, from: key) { return nil }
            self.refuse(command, to: key, Session.unknownChannel)
            return nil
        }
        self.take(command, in: owned)
        return owned
    }

    /// - Parameter maker: who brings the room to life, where it is not a member.
    func take(_ command: RoomCommand, in owned: OwnedRoom, by maker: RoomMaker? = nil) {
        if let error = self.firstMemberRefusal(of: command, owned) ?? self.newRoomRefusal(of: command, owned, by: maker)
        {
            self.refuse(command, to: owned.key, error)
            self.leave(owned)
            return
        }
        if let refusal = self.sequencer.take(command, in: owned) { self.send(refusal, of: owned.key) }
    }

    /// A command was refused that would have given the room something to do.
    private func leave(_ owned: OwnedRoom) {
        guard owned.order.isDormant else { return }
        self.countAsHeld(owned, false)
        if !owned.isDormant, owned.lane == nil { self.remove(owned) }
    }

    /// Answers a command that does not get into its room.
    private func refuse(_ command: RoomCommand, to key: RoomKey, _ error: RequestError) {
        if let refusal = command.refused(error, in: key.room) { self.send(refusal, of: key) }
    }

    /// Sends an answer that has no place among a room's entries.
    package func send(_ answer: RoomAnswer, of key: RoomKey) {
        guard let connection = answer.connection, connection.node == self.context.environment.node else { return }
        self.context.peers[connection.shard].post { shard in shard.receive(answer, of: key) }
    }

    /// Gives an answer at this place of the room's order.
    package func deliver(_ answer: RoomAnswer, of owned: OwnedRoom) {
        guard let connection = answer.connection else { return }
        var delivery = ShardDelivery(of: owned, owned.order.view)
        delivery.add(answer)
        self.context.deliver(delivery, to: connection.shard)
    }

    // MARK: The turn

    /// Nothing waits in the rooms.
    var isIdle: Bool { self.sequencer.isIdle }

    /// Does what waits in the rooms: a batch of each in turn, until it has cost the budget.
    func turn() {
        self.sequencer.turn()
        if !self.isIdle { self.context.wakeAfterIO() }
        guard !self.listing.isEmpty else { return }
        self.context.environment.directory.changed(self.listing)
        self.listing.removeAll(keepingCapacity: true)
    }

    /// Has the directory told how many members the room has now.
    package func list(_ owned: OwnedRoom, members: Int) {
        guard members != owned.listedMembers else { return }
        self.context.tally.counters.members += members - owned.listedMembers
        owned.listedMembers = members
        owned.hasHadMembers = true
        if members == 0 { owned.isNew = true }
        self.context.tell(.roomChanged(owned.key, members: members))
        self.listing.append((owned.key, members))
    }

    // MARK: Sealing

    /// The batch has its place in the log: it becomes a chunk, and the shards hear of it.
    ///
    /// - Parameter isOurs: it came through this broker, which counts the messages then, so that the sum over all nodes counts each once.
    /// - Returns: the work of making older chunks fit for those who are let in.
    @discardableResult
    package func seal(_ encoded: EncodedBatch, of owned: OwnedRoom, _ view: RoomView, isOurs: Bool = true) -> Int {
        let batch = encoded.batch
        self.context.busyRooms.spent(encoded.work, on: owned)
        let redacted = batch.tombstones.isEmpty ? [] : self.redactWindow(of: owned, batch.tombstones)
        var chunk: Chunk?
        let hasReaders = owned.hasListeners(view) || owned.isHeardLater || self.watches.hasReaders(of: owned.key)
        if !batch.entries.isEmpty, hasReaders {
            let sealed = encoded.chunk(number: owned.window.end, sealedAt: self.context.now)
            self.append(sealed, to: owned)
            chunk = sealed
        }
        self.tellWatches(of: owned, chunk)
        var work = 0
        let node = self.context.environment.node
        var deliveries = ShardDeliveryBuilder(of: owned, view, on: node, chunk: chunk, redacted: redacted)
        for var answer in batch.answers {
            switch answer.content {
            case .joined(var admission):
                admission.grant = owned.grant(admission, view)
                for (old, new) in owned.provide(admission) {
                    self.budget.replaced(old, with: new)
                    deliveries.replace(new)
                    work += Work.batch(entries: new.entries.count, answers: 0, bytes: new.size - old.size)
                }
                answer.content = .joined(admission)
            case .moderated(.redacted(let receipt)): owned.redactions.add(receipt, in: view.epoch)
            default: break
            }
            deliveries.add(answer)
        }
        deliveries.setReplicas(chunk: chunk)
        deliveries.send { self.context.deliver($0, to: $1) }
        if work > 0 { self.shrinkWindows(from: owned) }
        if view.members == 0, !owned.isHeardLater { self.clearWindow(of: owned) }
        self.count(batch, of: owned, isOurs: isOurs)
        return work
    }

    private func count(_ batch: RoomBatch, of owned: OwnedRoom, isOurs: Bool) {
        var volume = ShardCounters.Volume()
        for entry in batch.entries {
            if case .message(let message) = entry.content { volume.add(count: 1, bytes: message.readableBytes) }
        }
        guard volume.count > 0 else { return }
        owned.activity.add(volume.count, at: batch.turn.milliseconds)
        guard isOurs else { return }
        self.context.tally.counters.published.add(count: volume.count, bytes: volume.bytes)
        owned.channel.usage.published(volume.count)
    }

    // MARK: Memory that is shared

    /// Tells what is kept, and keeps no more from now on than there is memory for.
    ///
    /// - Returns: whether something was forgotten for that; more may be left to forget.
    func shareMemory() -> Bool {
        self.context.memory.kept.windows = self.budget.bytes
        self.context.memory.kept.publishKeys = self.sequencer.keyBytes
        self.context.memory.kept.emptyRooms = (self.rooms.count - self.context.memory.rooms) * MemoryBound.emptyRoom
        let limits = self.context.memory.limits
        self.budget.limit = limits.windows
        self.emptyRoomLimit = limits.emptyRooms / MemoryBound.emptyRoom
        let hasForgotten = self.forgetSome()
        return self.sequencer.limitKeys(to: limits.publishKeys) || hasForgotten
    }

    private func forgetSome() -> Bool {
        var forgotten = 0
        while forgotten < Self.forgottenAtOnce, let owned = self.budget.next() {
            self.dropOldest(of: owned)
            self.sendWindowStart(of: owned)
            forgotten += 1
        }
        while forgotten < Self.forgottenAtOnce, let oldest = self.dormant.popOldest(above: self.emptyRoomLimit) {
            self.forgetIfDormant(oldest)
            forgotten += 1
        }
        return forgotten > 0
    }

    // MARK: Rooms without members

    package func trackIfDormant(_ owned: OwnedRoom) {
        guard owned.order.isDormant else { return }
        self.countAsHeld(owned, false)
        self.addDormant(owned)
    }

    package func addDormant(_ owned: OwnedRoom) {
        guard !owned.isDormant else { return }
        owned.isDormant = true
        self.scheduleSweep()
        self.dormant.add(owned.key, at: self.context.now)
        while let oldest = self.dormant.popOldest(above: self.emptyRoomLimit) { self.forgetIfDormant(oldest) }
    }

    private func forgetIfDormant(_ key: RoomKey) {
        guard let owned = self.rooms[key] else { return }
        owned.isDormant = false
        if owned.order.isDormant { self.remove(owned) }
    }

    func remove(_ owned: OwnedRoom) {
        owned.isForgotten = true
        self.clearWindow(of: owned)
        self.context.tally.counters.members -= owned.listedMembers
        self.countAsHeld(owned, false)
        owned.listedMembers = 0
        self.sequencer.forget(owned)
        self.rooms.remove(owned.key)
    }

    func scheduleSweep(in time: TimeAmount = .minutes(1)) {
        guard !self.isSweepScheduled else { return }
        self.isSweepScheduled = true
        let ref = self.context.ref
        self.context.eventLoop.scheduleTask(in: time) { ref.onLoop.owner.sweep() }
    }

    private func sweep() {
        self.isSweepScheduled = false
        self.context.compareClocks()
        let hasOldKeys = self.sequencer.forgetOldKeys()
        let hasOldRooms = self.sweepDormant()
        if hasOldKeys || hasOldRooms {
            self.scheduleSweep(in: .milliseconds(5))
        } else if !self.dormant.isEmpty || self.sequencer.keyBytes > 0 {
            self.scheduleSweep()
        }
    }

    private static let forgottenAtOnce = 512

    /// Forgets rooms with history that had no members for as long as publish keys live: the store knows all of them.
    ///
    /// - Returns: whether there may be more.
    private func sweepDormant() -> Bool {
        let lifetime = TimeAmount.seconds(Int64(PublishKeys.lifetimeSeconds))
        let old = self.dormant.take(Self.forgottenAtOnce, after: lifetime, at: self.context.now)
        for key in old {
            guard let owned = self.rooms[key] else { continue }
            owned.isDormant = false
            guard owned.order.isDormant else { continue }
            if owned.order.isStored {
                self.remove(owned)
            } else {
                owned.isDormant = true
                self.dormant.add(key, at: self.context.now)
            }
        }
        return old.count == Self.forgottenAtOnce
    }
}
