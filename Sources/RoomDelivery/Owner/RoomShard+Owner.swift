import DequeModule
import NIOCore
import RoomCore
import RoomModel

/// The shard as the owner of rooms: batches are formed, committed, sealed, and sent to the shards that have members.
extension RoomShard {
    /// `nil` where the channel has been deleted.
    func ownedRoom(_ key: RoomKey) -> OwnedRoom? {
        if let owned = self.owned[key] { return owned }
        guard let channel = self.channels[key.channel] else { return nil }
        var room = Room(
            key: key,
            channel: channel,
            epoch: Epoch(rawValue: self.entropy.next()),
            limits: self.limits
        )
        if let rules = self.sanctions.rules(of: key) { room.rulesChanged(rules) }
        let owned = OwnedRoom(room: room, shards: self.peers.count)
        self.owned[key] = owned
        return owned
    }

    func advance(_ owned: OwnedRoom) {
        while true {
            let seqBefore = owned.room.lastSeq
            switch owned.room.advance(now: self.now.uptimeNanoseconds) {
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
                    now: self.environment.clock(),
                    stamper: &self.stamper,
                    entropy: &self.entropy
                )
                if batch.needsCommit {
                    self.commit(encoded, of: owned)
                    return
                }
                self.seal(encoded, of: owned)
            }
        }
    }

    // MARK: The store

    func open(_ owned: OwnedRoom) {
        guard let history = owned.room.history else { return }
        let (ref, key) = (self.ref, owned.key)
        let durability = owned.room.channel.settings.durability
        self.environment.engine.open(key, retention: history, durability: durability) { result in
            ref.post { shard in shard.opened(key, result) }
        }
    }

    private func opened(_ key: RoomKey, _ result: Result<OpenedLog, EngineError>) {
        // not where the room has been deleted and made again meanwhile, and has asked for itself
        guard let owned = self.owned[key], owned.room.phase == .opening else { return }
        switch result {
        case .success(let log):
            if let last = log.lastID { self.stamper.raise(to: last) }
            let known = Position(epoch: owned.room.epoch, seq: owned.room.lastSeq)
            let isCleared = owned.room.isClearing
            owned.room.opened(log)
            if isCleared {
                // the shards hear of it with what their members are told
                self.clearWindow(of: owned)
            } else if known != Position(epoch: log.epoch, seq: log.lastSeq) {
                self.restartWindow(of: owned)
            }
            for entry in log.recentKeys { owned.room.keys.remember(entry) }
        case .failure:
            owned.room.openFailed()
        }
        self.adoptNextChannel(owned)
        self.enqueue(owned)
    }

    private func commit(_ encoded: EncodedBatch, of owned: OwnedRoom) {
        guard let log = owned.room.log, let history = owned.room.history else { return }
        let batch = LogBatch(
            log: log,
            retention: history,
            durability: owned.room.channel.settings.durability,
            entries: encoded.logEntries,
            tombstones: encoded.tombstones
        )
        owned.inFlight = encoded
        let (ref, key) = (self.ref, owned.key)
        self.environment.engine.append(batch) { result in
            ref.post { shard in shard.committed(key, result) }
        }
    }

    private func committed(_ key: RoomKey, _ result: Result<AppendReceipt, EngineError>) {
        guard let owned = self.owned[key], let encoded = owned.inFlight else { return }
        owned.inFlight = nil
        switch result {
        case .success(let receipt):
            owned.room.committed(receipt)
            self.seal(encoded, of: owned)
        case .failure:
            owned.room.commitFailed()
            self.seal(encoded.withoutStored(), of: owned)
        }
        self.adoptNextChannel(owned)
        self.enqueue(owned)
    }

    /// A read has shown that the log is no more: it is opened again with the next command.
    func reportLost(_ key: RoomKey, _ log: LogID) {
        self.tellOwner(of: key, log) { room in room.logLost() }
    }

    /// A read has shown that older messages are gone: the next to come back is told at once.
    func reportTrimmed(_ key: RoomKey, _ log: LogID, oldest: UInt64) {
        self.tellOwner(of: key, log) { room in room.storeTrimmed(oldest: oldest) }
    }

    private func tellOwner(of key: RoomKey, _ log: LogID, _ change: @escaping @Sendable (inout Room) -> Void) {
        let owner = self.owner(of: key)
        if owner == self.index {
            self.apply(change, to: key, log)
        } else {
            self.peers[owner].post { peer in peer.apply(change, to: key, log) }
        }
    }

    private func apply(_ change: (inout Room) -> Void, to key: RoomKey, _ log: LogID) {
        guard let owned = self.owned[key], owned.room.log == log else { return }
        change(&owned.room)
    }

    // MARK: Sealing

    private func seal(_ encoded: EncodedBatch, of owned: OwnedRoom) {
        let redacted = self.redactWindow(of: owned, encoded.tombstones)
        if !redacted.isEmpty { self.noteRedactions(of: owned, encoded.outcomes) }
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
            self.deliver(delivery, to: shard)
        }
        if owned.room.members.isEmpty { self.clearWindow(of: owned) }
        self.count(encoded, of: owned)
    }

    private func count(_ encoded: EncodedBatch, of owned: OwnedRoom) {
        let messages = encoded.logged.count + encoded.ephemeral.count
        guard messages > 0 else { return }
        self.tally.counters.published.add(count: messages, bytes: encoded.logged.bytes + encoded.ephemeral.bytes)
        owned.room.channel.usage.published(messages)
    }

    private func append(_ chunk: Chunk, to owned: OwnedRoom) {
        owned.window.append(chunk)
        owned.windowBytes += chunk.size
        self.budget.added(chunk, in: owned)
        while owned.windowBytes > self.limits.windowPerRoom, owned.window.chunks.count > 1 {
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

    /// The log goes on elsewhere than its window ends: what is missing between would be a hole that nobody sees.
    func restartWindow(of owned: OwnedRoom) {
        self.clearWindow(of: owned)
        self.send(nil, to: nil, of: owned)
    }

    func clearWindow(of owned: OwnedRoom) {
        while !owned.window.chunks.isEmpty { self.dropOldest(of: owned) }
    }

    // MARK: Deliveries

    /// Sends one item to a shard, or only the window's new start to all that have a replica.
    func send(_ item: ShardDelivery.Item?, to shard: Int?, of owned: OwnedRoom) {
        var deliveries = ShardDeliveryBuilder(owned: owned, chunk: nil)
        if let item, let shard {
            deliveries.add(item, to: shard)
        } else {
            deliveries.touchAll()
        }
        for (shard, delivery) in deliveries.finish() {
            self.deliver(delivery, to: shard)
        }
    }

    private func deliver(_ delivery: ShardDelivery, to shard: Int) {
        if shard == self.index {
            self.receive(delivery)
        } else {
            self.peers[shard].post { peer in peer.receive(delivery) }
        }
    }

    // MARK: Rooms without members

    private func settle(_ owned: OwnedRoom) {
        guard owned.room.isDormant, !owned.isDormant else { return }
        owned.isDormant = true
        if self.dormant.isEmpty { self.setDeadline(.sweep, in: .minutes(1)) }
        self.dormant.append((owned.key, self.now))
        while self.dormant.count > self.limits.dormantRooms, let oldest = self.dormant.popFirst() {
            self.forget(oldest.key)
        }
    }

    private func forget(_ key: RoomKey) {
        guard let owned = self.owned[key] else { return }
        owned.isDormant = false
        if owned.room.isDormant { self.remove(owned) }
    }

    func remove(_ owned: OwnedRoom) {
        owned.isForgotten = true
        self.tally.counters.members -= owned.listedMembers
        owned.listedMembers = 0
        self.owned.removeValue(forKey: owned.key)
    }

    /// Forgets rooms with history that had no members for as long as publish keys live: the store knows all of them.
    func sweepDormant() {
        let lifetime = TimeAmount.milliseconds(PublishKeys.lifetimeMilliseconds)
        var kept: [(key: RoomKey, since: NIODeadline)] = []
        while let first = self.dormant.first, first.since + lifetime <= self.now {
            self.dormant.removeFirst()
            guard let owned = self.owned[first.key] else { continue }
            owned.isDormant = false
            guard owned.room.isDormant else { continue }
            if owned.room.hasHistory {
                self.remove(owned)
            } else {
                owned.isDormant = true
                owned.room.keys.forget(before: self.environment.clock() - PublishKeys.lifetimeMilliseconds)
                kept.append((first.key, self.now))
            }
        }
        self.dormant.append(contentsOf: kept)
        if !self.dormant.isEmpty { self.setDeadline(.sweep, in: .minutes(1)) }
    }
}
