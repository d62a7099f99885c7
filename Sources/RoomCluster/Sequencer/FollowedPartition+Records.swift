import RoomCore
import RoomDelivery
import RoomModel

/// What the log tells, and what the history has of it.
extension FollowedPartition {
    func told(_ event: PartitionLogEvent) {
        switch event {
        case .connected: self.isConnected = true
        case .disconnected: self.isConnected = false
        case .lost(let first): return self.fail(.lost(first: first))
        case .behind(let last): return self.fail(.behind(last: last))
        case .differs(let place): return self.fail(.differs(place))
        case .record(let place, let time, let bytes):
            // of a log that was closed, and is followed anew from before that
            guard place == self.next else { return }
            guard let bytes else { return self.fail(.erased(place)) }
            self.take(HeldRecords.Record(place: place, time: time, bytes: bytes))
        }
        self.settle()
    }

    /// Applies it, or holds it back while too much waits for the disk. Where it cannot wait either, the log is followed anew
    /// later.
    private func take(_ record: HeldRecords.Record) {
        if self.held.isEmpty, !self.isFull { return self.apply(record) }
        guard !self.held.add(record) else { return }
        self.log?.close()
        self.log = nil
    }

    private var isFull: Bool { self.rooms?.projection.isFull ?? true }

    private func applyHeld() {
        while !self.isFull, let record = self.held.popFirst() { self.apply(record) }
        if self.log == nil, !self.isFull, !self.state.isLast { self.follow() }
    }

    private func apply(_ stored: HeldRecords.Record) {
        let applied: FollowedRooms.Applied?
        do throws(RecordError) {
            applied = try self.rooms?.apply(stored, delivered: self.delivered?.place, now: self.now)
        } catch {
            return self.fail(.unreadable(stored.place, error))
        }
        guard var applied else { return }
        self.lastRecord = self.now
        self.hear(applied)
        if applied.record.node == self.environment.node {
            let wasAnswered = self.seen(applied)
            applied.delivery?.wasAnswered = wasAnswered
            applied.delivery?.isOurs = true
        }
        if let delivery = applied.delivery {
            self.delivered = KnownRecord(place: stored.place, time: stored.time)
            self.delegate.applied(delivery)
        }
        if case .ends(self.environment.node) = applied.outcome {
            self.delegate.answered(self.sender.nodeGone())
            self.fail(.declaredDead)
        }
    }

    private func hear(_ applied: FollowedRooms.Applied) {
        if applied.outcome != .ignored { self.heard[applied.record.node] = self.now }
        if case .ends(let node) = applied.outcome { self.heard[node] = nil }
    }

    /// - Returns: whether the commands of the record were answered before.
    private func seen(_ applied: FollowedRooms.Applied) -> Bool {
        let (record, counts) = (applied.record, applied.outcome != .ignored)
        let seen = self.sender.recordSeen(
            number: record.number,
            attempt: record.attempt,
            counts: counts,
            now: self.now
        )
        if counts { self.lastCounted = self.now }
        if let sentAt = seen.sentAt { self.environment.proof?.seen(sentAt: sentAt) }
        self.run(seen.actions)
        return seen.wasAnswered
    }

    // MARK: The history

    /// Calls when the history has everything that the rooms have now. A failure: it cannot be read now.
    func whenStored(_ read: @escaping Projection.Read) {
        switch self.state {
        case .catchingUp, .failed, .closed: return read(.failure(.unavailable))
        case .ready, .disconnected, .failing: break
        }
        let place = self.partition?.accepted.place
        if let result = self.rooms?.projection.wait(for: place, read) { return read(result) }
        self.settle()
    }

    func store() {
        guard let write = self.rooms?.projection.take(now: self.now) else { return }
        let post = self.poster()
        self.environment.history.store(write) { result in post { $0.stored(result) } }
    }

    private func stored(_ result: Result<Void, EngineError>) {
        switch result {
        case .success: for read in self.rooms?.projection.written() ?? [] { read(.success(())) }
        case .failure(let error): self.endReads(error)
        }
        if self.rooms?.projection.isLost ?? false { self.open() } else { self.applyHeld() }
        self.settle()
    }

    func endReads(_ error: EngineError = .unavailable) {
        for read in self.rooms?.projection.failed(error, now: self.now) ?? [] { read(.failure(error)) }
    }
}
