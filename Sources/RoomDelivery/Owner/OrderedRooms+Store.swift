import NIOCore
import RoomCore
import RoomModel

/// Logs in the store: opened, appended to, cleared.
extension OrderedRooms {
    func open(_ ordered: OrderedRoom) {
        guard let history = ordered.room.settings.history else { return }
        let (ref, key) = (self.context.ref, ordered.key)
        self.context.compareClocks()
        self.context.engine.open(
            key,
            retention: history,
            keysSince: self.context.steadyClock.tenMinutesAgo,
            for: self.asker(opening: ordered)
        ) { result in
            // here, where it holds up no event loop
            let publishes = (try? result.get())?.recentKeys.compactMap { StoredPublish($0) } ?? []
            ref.post { shard in shard.owner.ordered.opened(key, result, publishes) }
        }
    }

    /// The asker whose command is first in the room.
    private func asker(opening ordered: OrderedRoom) -> ReadAsker {
        guard let connection = ordered.room.firstToWait else { return .broker }
        return ExternalRequests.isExternal(connection) ? .outside : .connection(connection)
    }

    private func ids(of ordered: OrderedRoom, goOnAfter last: UniqueID?) {
        ordered.stamper = nil
        guard let last else { return }
        if ClockStep.isFar(from: self.context.environment.clock(), to: last.milliseconds) {
            ordered.stamper = Stamper(after: last)
        } else {
            self.context.stamper.raise(to: last)
        }
    }

    private func opened(_ key: RoomKey, _ result: Result<OpenedLog, EngineError>, _ publishes: [StoredPublish]) {
        // not where the room has been deleted and made again meanwhile, and has asked for itself
        guard let ordered = self.owner.rooms[key]?.ordered, ordered.room.phase == .opening else { return }
        switch result {
        case .success(let log):
            self.ids(of: ordered, goOnAfter: log.lastID)
            let known = Position(epoch: ordered.room.epoch, seq: ordered.room.lastSeq)
            let isCleared = ordered.room.isClearing
            self.context.compareClocks()
            ordered.storeReported(.opened(log, publishes: publishes, clock: self.context.steadyClock))
            if isCleared {
                // the shards hear of it with what their members are told
                self.owner.clearWindow(of: ordered.owned)
            } else if known != Position(epoch: log.epoch, seq: log.lastSeq) {
                self.owner.restartWindow(of: ordered.owned)
            }
        case .failure:
            ordered.storeReported(.openFailed)
            self.atStore(0, of: ordered)
        }
        self.adoptNextSettings(ordered)
        self.keysChanged(in: ordered)
        self.enqueue(ordered)
    }

    func commit(_ encoded: EncodedBatch, of ordered: OrderedRoom) {
        guard let log = ordered.room.log, let history = ordered.room.settings.history else { return }
        let batch = LogBatch(
            log: log,
            retention: history,
            durability: ordered.owned.channel.settings.durability,
            entries: encoded.logEntries,
            tombstones: encoded.batch.tombstones,
            payer: encoded.batch.payer(in: ordered.key)
        )
        ordered.inFlight = encoded
        self.atStore(encoded.bytes, of: ordered)
        let (ref, key) = (self.context.ref, ordered.key)
        self.context.engine.append(batch) { result in
            ref.post { shard in shard.owner.ordered.committed(key, result) }
        }
    }

    private func committed(_ key: RoomKey, _ result: Result<AppendReceipt, EngineError>) {
        guard let ordered = self.owner.rooms[key]?.ordered, let encoded = ordered.inFlight else { return }
        ordered.inFlight = nil
        self.atStore(0, of: ordered)
        switch result {
        case .success(let receipt):
            ordered.storeReported(.committed(receipt))
            self.workBefore += self.owner.seal(encoded, of: ordered.owned, RoomView(ordered.room))
        case .failure(let error):
            ordered.storeReported(.commitFailed)
            let rest = encoded.batch.withoutStored(in: key.room, error)
            let encoded = EncodedBatch(rest, ordered.owned.encoder, ordered.room.epoch)
            self.workBefore += self.owner.seal(encoded, of: ordered.owned, RoomView(ordered.room))
        }
        self.adoptNextSettings(ordered)
        self.enqueue(ordered)
    }

    /// The room's turn to be cleared has come. Rooms without history may have a log from before it was turned off.
    func clearLog(of ordered: OrderedRoom) {
        let (ref, key) = (self.context.ref, ordered.key)
        self.context.engine.clear([key]) { result in
            ref.post { shard in shard.owner.ordered.logCleared(key, result) }
        }
    }

    private func logCleared(_ key: RoomKey, _ result: Result<Void, EngineError>) {
        // not where the room has been deleted and made again meanwhile
        guard let ordered = self.owner.rooms[key]?.ordered, ordered.room.phase == .clearing else { return }
        switch result {
        case .success:
            guard !ordered.storeReported(.cleared(epoch: self.context.newEpoch())) else { return self.open(ordered) }
            self.owner.clearWindow(of: ordered.owned)
        case .failure:
            ordered.storeReported(.clearFailed)
        }
        self.adoptNextSettings(ordered)
        self.enqueue(ordered)
    }

    // MARK: Settings

    /// A room uses its channel's new settings from now on. A batch that is on its way to the store goes by the old ones.
    func channelChanged(for ordered: OrderedRoom) {
        let hadHistory = ordered.room.hasHistory
        let settings = ordered.owned.channel.roomSettings(of: ordered.key.room, self.context.limits)
        _ = ordered.enqueue(.settings(settings, epoch: self.context.newEpoch()))
        if hadHistory { self.closeLogIfEnded(of: ordered) }
        self.enqueue(ordered)
    }

    private func adoptNextSettings(_ ordered: OrderedRoom) {
        let hadHistory = ordered.room.hasHistory
        ordered.adoptNextSettings()
        if hadHistory { self.closeLogIfEnded(of: ordered) }
    }

    /// The room had a log; from now on perhaps nothing is stored of it.
    private func closeLogIfEnded(of ordered: OrderedRoom) {
        guard !ordered.room.hasHistory else { return }
        self.context.engine.close(ordered.key)
        self.owner.restartWindow(of: ordered.owned)
    }
}
