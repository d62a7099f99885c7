import NIOCore
import RoomCore
import RoomModel

/// Logs in the store: opened, appended to, cleared.
extension RoomOwner {
    func open(_ owned: OwnedRoom) {
        guard let history = owned.room.settings.history else { return }
        let (ref, key) = (self.context.ref, owned.key)
        self.context.compareClocks()
        self.context.engine.open(
            key,
            retention: history,
            keysSince: self.context.steadyClock.tenMinutesAgo,
            for: self.asker(opening: owned)
        ) { result in
            // here, where it holds up no event loop
            let publishes = (try? result.get())?.recentKeys.compactMap { StoredPublish($0) } ?? []
            ref.post { shard in shard.owner.opened(key, result, publishes) }
        }
    }

    /// The asker whose command is first in the room.
    private func asker(opening owned: OwnedRoom) -> ReadAsker {
        guard let connection = owned.room.firstToWait else { return .broker }
        return ExternalRequests.isExternal(connection) ? .outside : .connection(connection)
    }

    private func opened(_ key: RoomKey, _ result: Result<OpenedLog, EngineError>, _ publishes: [StoredPublish]) {
        // not where the room has been deleted and made again meanwhile, and has asked for itself
        guard let owned = self.rooms[key], owned.room.phase == .opening else { return }
        switch result {
        case .success(let log):
            if let last = log.lastID { self.context.stamper.raise(to: last) }
            let known = Position(epoch: owned.room.epoch, seq: owned.room.lastSeq)
            let isCleared = owned.room.isClearing
            self.context.compareClocks()
            owned.storeReported(.opened(log, publishes: publishes, clock: self.context.steadyClock))
            if isCleared {
                // the shards hear of it with what their members are told
                self.clearWindow(of: owned)
            } else if known != Position(epoch: log.epoch, seq: log.lastSeq) {
                self.restartWindow(of: owned)
            }
        case .failure:
            owned.storeReported(.openFailed)
            self.atStore(0, of: owned)
        }
        self.adoptNextSettings(owned)
        self.keysChanged(in: owned)
        self.enqueue(owned)
    }

    func commit(_ encoded: EncodedBatch, of owned: OwnedRoom) {
        guard let log = owned.room.log, let history = owned.room.settings.history else { return }
        let batch = LogBatch(
            log: log,
            retention: history,
            durability: owned.channel.settings.durability,
            entries: encoded.logEntries,
            tombstones: encoded.batch.tombstones,
            payer: encoded.batch.payer(in: owned.key)
        )
        owned.inFlight = encoded
        self.atStore(encoded.bytes, of: owned)
        let (ref, key) = (self.context.ref, owned.key)
        self.context.engine.append(batch) { result in
            ref.post { shard in shard.owner.committed(key, result) }
        }
    }

    private func committed(_ key: RoomKey, _ result: Result<AppendReceipt, EngineError>) {
        guard let owned = self.rooms[key], let encoded = owned.inFlight else { return }
        owned.inFlight = nil
        self.atStore(0, of: owned)
        switch result {
        case .success(let receipt):
            owned.storeReported(.committed(receipt))
            self.workBefore += self.seal(encoded, of: owned)
        case .failure(let error):
            owned.storeReported(.commitFailed)
            let rest = encoded.batch.withoutStored(in: key.room, error)
            self.workBefore += self.seal(EncodedBatch(rest, owned.encoder, owned.room.epoch), of: owned)
        }
        self.adoptNextSettings(owned)
        self.enqueue(owned)
    }

    /// The room's turn to be cleared has come. Rooms without history may have a log from before it was turned off.
    func clearLog(of owned: OwnedRoom) {
        let (ref, key) = (self.context.ref, owned.key)
        self.context.engine.clear([key]) { result in
            ref.post { shard in shard.owner.logCleared(key, result) }
        }
    }

    private func logCleared(_ key: RoomKey, _ result: Result<Void, EngineError>) {
        // not where the room has been deleted and made again meanwhile
        guard let owned = self.rooms[key], owned.room.phase == .clearing else { return }
        switch result {
        case .success:
            guard !owned.storeReported(.cleared(epoch: self.context.newEpoch())) else { return self.open(owned) }
            self.clearWindow(of: owned)
        case .failure:
            owned.storeReported(.clearFailed)
        }
        self.adoptNextSettings(owned)
        self.enqueue(owned)
    }

    /// A read has shown something of a room's log.
    func logReported(_ report: LogReport, of key: RoomKey, _ log: LogID) {
        guard let owned = self.rooms[key], owned.room.log == log else { return }
        owned.storeReported(.found(report))
    }

    /// The log of a room has been changed by others: it is opened again with the next command.
    func logReplaced(_ key: RoomKey) {
        self.rooms[key]?.storeReported(.found(.lost))
    }

    /// The oldest messages of a room's log were deleted.
    func pruned(_ key: RoomKey, through place: Position) {
        self.rooms[key]?.storeReported(.pruned(through: place))
    }

    // MARK: Settings

    /// A room uses the channel's new settings from now on. A batch that is on its way to the store goes by the old
    /// ones.
    func channelChanged(_ channel: RoomChannel, for owned: OwnedRoom) {
        let hadHistory = owned.room.hasHistory
        owned.channelChanged(channel, epoch: self.context.newEpoch(), self.context.limits)
        if hadHistory { self.closeLogIfEnded(of: owned) }
        self.enqueue(owned)
    }

    private func adoptNextSettings(_ owned: OwnedRoom) {
        let hadHistory = owned.room.hasHistory
        owned.adoptNextSettings()
        if hadHistory { self.closeLogIfEnded(of: owned) }
    }

    /// The room had a log; from now on perhaps nothing is stored of it.
    private func closeLogIfEnded(of owned: OwnedRoom) {
        guard !owned.room.hasHistory else { return }
        self.context.engine.close(owned.key)
        self.restartWindow(of: owned)
    }

    /// Forgets a room of a channel that is gone.
    func forget(_ owned: OwnedRoom) {
        self.clearWindow(of: owned)
        self.remove(owned)
    }

    /// Answers what was asked of rooms of a channel that is gone.
    func refuseRequests(of id: ChannelID) {
        self.watches.end(in: id)
        for (number, complete) in self.requests.takeAll(of: id) {
            complete(.refused(self.origin(number), Session.unknownChannel))
        }
    }

    /// A room has these rules from now on.
    func rulesChanged(_ rules: RoomRules, of key: RoomKey) {
        guard let owned = self.rooms[key] else { return }
        _ = owned.enqueue(.rules(rules))
        self.enqueue(owned)
    }
}
