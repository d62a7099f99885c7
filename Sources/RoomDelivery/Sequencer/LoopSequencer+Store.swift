import NIOCore
import RoomCore
import RoomModel

/// Logs in the store: opened, appended to, cleared.
extension LoopSequencer {
    /// The sequencer, for what the store calls back.
    private var bound: NIOLoopBound<LoopSequencer> { NIOLoopBound(self, eventLoop: self.context.eventLoop) }

    func open(_ ordered: LoopRoom) {
        guard let history = ordered.room.settings.history else { return }
        let (ref, key, bound) = (self.context.ref, ordered.key, self.bound)
        self.context.compareClocks()
        self.context.engine.open(
            key,
            retention: history,
            keysSince: self.context.steadyClock.tenMinutesAgo,
            for: self.asker(opening: ordered)
        ) { result in
            // here, where it holds up no event loop
            let publishes = (try? result.get())?.recentKeys.compactMap { StoredPublish($0) } ?? []
            ref.post { _ in bound.value.opened(key, result, publishes) }
        }
    }

    /// The asker whose command is first in the room.
    private func asker(opening ordered: LoopRoom) -> ReadAsker {
        guard let connection = ordered.room.firstToWait else { return .broker }
        return ExternalRequests.isExternal(connection) ? .outside : .connection(connection)
    }

    private func ids(of ordered: LoopRoom, goOnAfter last: UniqueID?) {
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
        guard let owned = self.owner.rooms[key] else { return }
        let ordered = self.order(of: owned)
        guard ordered.room.phase == .opening else { return }
        switch result {
        case .success(let log):
            self.ids(of: ordered, goOnAfter: log.lastID)
            let known = Position(epoch: ordered.room.epoch, seq: ordered.room.lastSeq)
            let isCleared = ordered.room.isClearing
            self.context.compareClocks()
            ordered.storeReported(.opened(log, publishes: publishes, clock: self.context.steadyClock))
            if isCleared {
                // the shards hear of it with what their members are told
                self.owner.clearWindow(of: owned)
            } else if known != Position(epoch: log.epoch, seq: log.lastSeq) {
                self.owner.restartWindow(of: owned)
            }
        case .failure:
            ordered.storeReported(.openFailed)
            self.atStore(0, of: ordered)
        }
        self.adoptNextSettings(of: owned)
        self.keysChanged(in: ordered)
        self.enqueue(owned)
    }

    func commit(_ encoded: EncodedBatch, of ordered: LoopRoom, _ owned: OwnedRoom) {
        guard let log = ordered.room.log, let history = ordered.room.settings.history else { return }
        let batch = LogBatch(
            log: log,
            retention: history,
            durability: owned.channel.settings.durability,
            entries: encoded.logEntries,
            tombstones: encoded.batch.tombstones,
            payer: encoded.batch.payer(in: ordered.key)
        )
        ordered.inFlight = encoded
        self.atStore(encoded.bytes, of: ordered)
        let (ref, key, bound) = (self.context.ref, ordered.key, self.bound)
        self.context.engine.append(batch) { result in
            ref.post { _ in bound.value.committed(key, result) }
        }
    }

    private func committed(_ key: RoomKey, _ result: Result<AppendReceipt, EngineError>) {
        guard let owned = self.owner.rooms[key] else { return }
        let ordered = self.order(of: owned)
        guard let encoded = ordered.inFlight else { return }
        ordered.inFlight = nil
        self.atStore(0, of: ordered)
        switch result {
        case .success(let receipt):
            ordered.storeReported(.committed(receipt))
            self.workBefore += self.owner.seal(encoded, of: owned, ordered.view)
        case .failure(let error):
            ordered.storeReported(.commitFailed)
            let rest = encoded.batch.withoutStored(in: key.room, error)
            let encoded = EncodedBatch(rest, owned.encoder, ordered.room.epoch)
            self.workBefore += self.owner.seal(encoded, of: owned, ordered.view)
        }
        self.adoptNextSettings(of: owned)
        self.enqueue(owned)
    }

    /// The room's turn to be cleared has come. Rooms without history may have a log from before it was turned off.
    func clearLog(of ordered: LoopRoom) {
        let (ref, key, bound) = (self.context.ref, ordered.key, self.bound)
        self.context.engine.clear([key]) { result in
            ref.post { _ in bound.value.logCleared(key, result) }
        }
    }

    private func logCleared(_ key: RoomKey, _ result: Result<Void, EngineError>) {
        // not where the room has been deleted and made again meanwhile
        guard let owned = self.owner.rooms[key] else { return }
        let ordered = self.order(of: owned)
        guard ordered.room.phase == .clearing else { return }
        switch result {
        case .success:
            guard !ordered.storeReported(.cleared(epoch: self.context.newEpoch())) else { return self.open(ordered) }
            self.owner.clearWindow(of: owned)
        case .failure:
            ordered.storeReported(.clearFailed)
        }
        self.adoptNextSettings(of: owned)
        self.enqueue(owned)
    }

    // MARK: Changes from outside

    /// A batch that is on its way to the store goes by the old settings.
    func channelChanged(for owned: OwnedRoom) {
        let ordered = self.order(of: owned)
        let hadHistory = ordered.room.hasHistory
        let settings = owned.channel.roomSettings(of: owned.key.room, self.context.limits)
        _ = ordered.enqueue(.settings(settings, epoch: self.context.newEpoch()))
        if hadHistory { self.closeLogIfEnded(of: owned) }
        self.enqueue(owned)
    }

    /// The store forgets the room with its channel.
    func channelRemoved(for owned: OwnedRoom) {}

    func rulesChanged(_ rules: RoomRules, of key: RoomKey) {
        // a room that begins later has them from the start
        guard let owned = self.owner.rooms[key] else { return }
        _ = self.order(of: owned).enqueue(.rules(rules))
        self.enqueue(owned)
    }

    func logReported(_ report: LogReport, of owned: OwnedRoom, _ log: LogID) {
        let ordered = self.order(of: owned)
        if ordered.room.log == log { ordered.storeReported(.found(report)) }
    }

    func pruned(_ owned: OwnedRoom, through place: Position) {
        self.order(of: owned).storeReported(.pruned(through: place))
    }

    private func adoptNextSettings(of owned: OwnedRoom) {
        let ordered = self.order(of: owned)
        let hadHistory = ordered.room.hasHistory
        ordered.adoptNextSettings()
        if hadHistory { self.closeLogIfEnded(of: owned) }
    }

    /// The room had a log; from now on perhaps nothing is stored of it.
    private func closeLogIfEnded(of owned: OwnedRoom) {
        guard !self.order(of: owned).room.hasHistory else { return }
        self.context.engine.close(owned.key)
        self.owner.restartWindow(of: owned)
    }
}
