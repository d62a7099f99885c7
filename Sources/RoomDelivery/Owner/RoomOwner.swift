import DequeModule
import NIOCore
import RoomCore
import RoomModel

/// The rooms that a shard owns: it takes their commands, forms batches, has them committed, seals them into chunks, and
/// sends those to the shards that have members. Confined to the shard's event loop.
final class RoomOwner {
    let context: ShardContext
    private(set) var rooms: [RoomKey: OwnedRoom] = [:]
    /// What was asked of rooms without a connection.
    var requests = ExternalRequests()
    private(set) lazy var redactions = RedactionQueue(owner: self)
    private var waiting: Deque<OwnedRoom> = []
    private var budget: WindowBudget
    private var dormant = DormantRooms()
    /// Rooms whose members have become more or fewer in this turn.
    private var listing: [(key: RoomKey, members: Int)] = []

    init(_ context: ShardContext, shards: Int) {
        self.context = context
        self.budget = WindowBudget(limit: context.limits.windowTotal / max(1, shards))
    }

    /// What the memory windows of all rooms take.
    var windowBytes: Int { self.budget.bytes }

    func rooms(in channel: ChannelID) -> [OwnedRoom] {
        self.rooms.values.filter { $0.key.channel == channel }
    }

    /// `nil` where the channel has been deleted.
    func room(_ key: RoomKey) -> OwnedRoom? {
        if let owned = self.rooms[key] { return owned }
        guard let channel = self.context.channels[key.channel] else { return nil }
        var room = Room(key: key, channel: channel, epoch: self.context.newEpoch(), limits: self.context.limits)
        if let rules = self.context.sanctions.rules(of: key) { room.rulesChanged(rules) }
        let owned = OwnedRoom(room: room, shards: self.context.peers.count)
        self.rooms[key] = owned
        return owned
    }

    // MARK: Commands

    /// Gives a command to its room, or answers it where the room cannot be.
    ///
    /// - Returns: the room.
    @discardableResult
    func take(_ command: RoomCommand, for key: RoomKey) -> OwnedRoom? {
        guard let owned = self.room(key) else {
            self.refuse(command, to: key, Session.unknownChannel)
            return nil
        }
        self.take(command, in: owned)
        return owned
    }

    func take(_ command: RoomCommand, in owned: OwnedRoom) {
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
        self.waiting.append(owned)
        self.context.wake()
    }

    /// Why a command cannot bring a room to life: there were too many of those lately.
    private func newRoomRefusal(of command: RoomCommand, _ owned: OwnedRoom) -> RequestError? {
        guard owned.isNew else { return nil }
        let member: ClientID?
        switch command {
        case .join(let join) where !join.isResync: member = join.clientID
        case .publish(let publish): member = publish.sender.clientID
        default: return nil
        }
        let now = self.context.now.uptimeNanoseconds
        if let error = owned.room.channel.newRoomRefusal(of: member, now: now) { return error }
        owned.isNew = false
        return nil
    }

    /// Answers a command that does not get into its room.
    private func refuse(_ command: RoomCommand, to key: RoomKey, _ error: RequestError) {
        switch command {
        case .publish(let publish): self.answer(publish.origin, publish.refused(error, in: key.room))
        case .members(let origin), .history(let origin, _), .locate(let origin):
            self.answer(origin, error.answering(origin.callback))
        case .redact(let redaction): self.answer(redaction.origin, error)
        case .clear(let clear): self.answer(clear.origin, error)
        case .refuse(let origin, let error): self.answer(origin, error)
        case .join(let join), .refuseJoin(let join, _):
            self.context.peers[join.connection.shard].post { shard in
                shard.connections[join.connection.number]?.joinRefused(key.room, error)
            }
        case .kick(let kick): self.answer(kick.origin, error)
        case .leave, .linger, .graceEnded, .update, .rename, .notice, .rules, .logReread, .showMembers, .tellCleared:
            return
        }
    }

    private func answer(_ origin: Origin, _ error: RequestError) {
        self.context.peers[origin.connection.shard].post { shard in shard.refused(error, to: origin) }
    }

    // MARK: The turn

    /// Does what waits in the rooms.
    func turn() {
        while let owned = self.waiting.popFirst() {
            owned.isQueued = false
            if owned.isForgotten { continue }
            self.advance(owned)
            self.list(owned)
        }
        guard !self.listing.isEmpty else { return }
        self.context.environment.directory.changed(self.listing)
        self.listing.removeAll(keepingCapacity: true)
    }

    private func advance(_ owned: OwnedRoom) {
        while true {
            let seqBefore = owned.room.lastSeq
            switch owned.room.advance(now: self.context.now.uptimeNanoseconds) {
            case .none:
                self.settle(owned)
                return
            case .open:
                self.open(owned)
                return
            case .clear:
                self.clearLog(of: owned)
                return
            case .batch(let batch):
                let encoded = BatchEncoder.encode(
                    batch,
                    of: owned,
                    seqBefore: seqBefore,
                    now: self.context.environment.clock(),
                    stamper: &self.context.stamper,
                    entropy: &self.context.entropy
                )
                if batch.needsCommit {
                    self.commit(encoded, of: owned)
                    return
                }
                self.seal(encoded, of: owned)
            }
        }
    }

    /// Has the directory told how many members the room has now.
    private func list(_ owned: OwnedRoom) {
        let members = owned.room.members.count
        guard members != owned.listedMembers, !owned.isForgotten else { return }
        self.context.tally.counters.members += members - owned.listedMembers
        owned.listedMembers = members
        if members == 0 { owned.isNew = true }
        self.context.tell(.roomChanged(owned.key, members: members))
        self.listing.append((owned.key, members))
    }

    // MARK: Sealing

    func seal(_ encoded: EncodedBatch, of owned: OwnedRoom) {
        let redacted = self.redactWindow(of: owned, encoded.tombstones)
        if !redacted.isEmpty { owned.noteRedactions(encoded.outcomes) }
        var chunk: Chunk?
        if !encoded.entries.isEmpty, owned.hasSubscribers || !owned.room.members.isEmpty {
            let sealed = encoded.chunk(number: owned.window.end)
            self.append(sealed, to: owned)
            chunk = sealed
        }
        var deliveries = ShardDeliveryBuilder(owned: owned, chunk: chunk, redacted: redacted)
        for outcome in encoded.outcomes {
            deliveries.add(outcome, encoded: encoded)
        }
        for (shard, delivery) in deliveries.finish() {
            self.context.deliver(delivery, to: shard)
        }
        if owned.room.members.isEmpty { self.clearWindow(of: owned) }
        self.count(encoded, of: owned)
    }

    private func count(_ encoded: EncodedBatch, of owned: OwnedRoom) {
        let messages = encoded.logged.count + encoded.ephemeral.count
        guard messages > 0 else { return }
        self.context.tally.counters.published
            .add(count: messages, bytes: encoded.logged.bytes + encoded.ephemeral.bytes)
        owned.room.channel.usage.published(messages)
    }

    /// Sends one item to a shard, or only the window's new start to all that have a replica.
    private func send(_ item: ShardDelivery.Item?, to shard: Int?, of owned: OwnedRoom) {
        var deliveries = ShardDeliveryBuilder(owned: owned, chunk: nil)
        if let item, let shard {
            deliveries.add(item, to: shard)
        } else {
            deliveries.touchAll()
        }
        for (shard, delivery) in deliveries.finish() {
            self.context.deliver(delivery, to: shard)
        }
    }

    // MARK: Memory windows

    private func append(_ chunk: Chunk, to owned: OwnedRoom) {
        owned.window.append(chunk)
        owned.windowBytes += chunk.size
        self.budget.added(chunk, in: owned)
        while owned.windowBytes > self.context.limits.windowPerRoom, owned.window.chunks.count > 1 {
            self.dropOldest(of: owned)
        }
        // the newest chunk of this room stays: it is about to be delivered
        while let other = self.budget.next(sparing: owned) {
            self.dropOldest(of: other)
            if other !== owned { self.send(nil, to: nil, of: other) }
        }
    }

    private func dropOldest(of owned: OwnedRoom) {
        guard let chunk = owned.window.chunks.first else { return }
        owned.window.trim(before: chunk.number + 1)
        owned.windowBytes -= chunk.size
        self.budget.removed(chunk)
    }

    /// Puts tombstones into the window.
    private func redactWindow(of owned: OwnedRoom, _ tombstones: [Tombstone]) -> [ShardDelivery.Redacted] {
        tombstones.map { tombstone in
            guard let (old, redacted) = owned.redact(tombstone) else {
                return ShardDelivery.Redacted(seq: tombstone.seq, chunk: nil)
            }
            self.budget.replaced(old, with: redacted)
            return ShardDelivery.Redacted(seq: tombstone.seq, chunk: redacted)
        }
    }

    /// The log goes on elsewhere than its window ends: what is missing between would be a hole that nobody sees.
    func restartWindow(of owned: OwnedRoom) {
        self.clearWindow(of: owned)
        self.send(nil, to: nil, of: owned)
    }

    func clearWindow(of owned: OwnedRoom) {
        while !owned.window.chunks.isEmpty { self.dropOldest(of: owned) }
    }

    // MARK: Rooms without members

    private func settle(_ owned: OwnedRoom) {
        guard owned.room.isDormant, !owned.isDormant else { return }
        owned.isDormant = true
        if self.dormant.isEmpty { self.scheduleSweep() }
        self.dormant.add(owned.key, at: self.context.now)
        while let oldest = self.dormant.popOldest(above: self.context.limits.dormantRooms) {
            guard let owned = self.rooms[oldest] else { continue }
            owned.isDormant = false
            if owned.room.isDormant { self.remove(owned) }
        }
    }

    func remove(_ owned: OwnedRoom) {
        owned.isForgotten = true
        self.context.tally.counters.members -= owned.listedMembers
        owned.listedMembers = 0
        self.rooms.removeValue(forKey: owned.key)
    }

    private func scheduleSweep() {
        let ref = self.context.ref
        self.context.eventLoop.scheduleTask(in: .minutes(1)) { ref.onLoop.owner.sweepDormant() }
    }

    /// Forgets rooms with history that had no members for as long as publish keys live: the store knows all of them.
    private func sweepDormant() {
        let lifetime = TimeAmount.milliseconds(PublishKeys.lifetimeMilliseconds)
        for key in self.dormant.takeAll(after: lifetime, at: self.context.now) {
            guard let owned = self.rooms[key] else { continue }
            owned.isDormant = false
            guard owned.room.isDormant else { continue }
            if owned.room.hasHistory {
                self.remove(owned)
            } else {
                owned.isDormant = true
                owned.room.keys
                    .forget(before: self.context.environment.clock() - PublishKeys.lifetimeMilliseconds)
                self.dormant.add(key, at: self.context.now)
            }
        }
        if !self.dormant.isEmpty { self.scheduleSweep() }
    }
}
