package import RoomCore
package import RoomModel

extension RoomGateway {
    /// How often the room is asked to look at its log again; once is enough unless it was just opening it.
    private static let rereads = 3

    package func importHistory(
        _ entries: [LogEntry],
        into room: RoomKey,
        after: Position?
    ) async throws(HistoryImportError) -> ImportReceipt {
        guard let channel = self.channel(room.channel.text) else { throw .refused(Session.unknownChannel) }
        guard let retention = channel.history(of: room.room) else {
            throw .refused(RequestError(.historyOff, "this room keeps no history: turn it on first"))
        }
        let part = LogImport(room: room, retention: retention, after: after, entries: entries)
        guard self.environment.cluster == nil else { return try await self.importIntoCluster(part) }
        let result = await withCheckedContinuation { continuation in
            self.engine.importLog(part) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let receipt):
            await self.reread(room, until: receipt.epoch)
            return receipt
        case .failure(.occupied): throw .occupied
        case .failure(.movedOn): throw .movedOn
        case .failure(.unavailable): throw .refused(Self.isUnknown)
        }
    }

    private static let isUnknown = RequestError(
        .storageUnavailable,
        "the history cannot be written now, and it is unknown whether this part was stored",
        retryAfterMilliseconds: 1_000
    )

    // MARK: In a cluster

    private func importIntoCluster(_ part: LogImport) async throws(HistoryImportError) -> ImportReceipt {
        guard part.recordSize <= PartitionRecord.utmost else { throw .tooLarge(limit: PartitionRecord.utmost) }
        if part.after != nil, let newest = try await self.page(of: part.room, part.retention)?.entries.last,
            let first = part.entries.first, newest.id >= first.id
        {
            throw .movedOn
        }
        switch await self.outcome(of: part) {
        case .occupied: throw .occupied
        case .movedOn: throw .movedOn
        case nil: throw .refused(Self.isUnknown)
        case .stored(let place):
            guard let epoch = place.epoch, let page = try await self.page(of: part.room, part.retention) else {
                throw .refused(Self.isUnknown)
            }
            return ImportReceipt(epoch: epoch, seq: place.seq, oldestSeq: page.oldestSeq)
        }
    }

    private func outcome(of part: LogImport) async -> ImportedPart.Outcome? {
        await withCheckedContinuation { continuation in
            self.owner(of: part.room).post { $0.importLog(part) { continuation.resume(returning: $0) } }
        }
    }

    /// The end of the room's log, as this node has stored it; `nil`: there is none.
    private func page(
        of room: RoomKey,
        _ retention: HistorySettings
    ) async throws(HistoryImportError) -> LogPage? {
        let log = await self.ask(self.owner(of: room)) { shard -> LogID? in
            // it may be forgotten where nobody is in it
            guard let owned = shard.owner.room(room) else { return nil }
            shard.owner.trackIfDormant(owned)
            return owned.order.view.log
        }
        guard let log else { return nil }
        let query = LogQuery(
            log: log,
            retention: retention,
            range: .before(.max),
            maxCount: 1,
            maxBytes: .max,
            now: self.environment.clock(),
            asker: .outside
        )
        let result = await withCheckedContinuation { continuation in
            self.reader.read(query) { continuation.resume(returning: $0) }
        }
        do {
            return try result.get()
        } catch {
            throw .refused(Self.isUnknown)
        }
    }

    /// Has the room open its log again, which tells its members of the new epoch.
    private func reread(_ room: RoomKey, until epoch: Epoch) async {
        for _ in 0..<Self.rereads {
            await self.ask(self.owner(of: room)) { $0.owner.logReplaced(room) }
            let found: Epoch? = await withCheckedContinuation { continuation in
                self.owner(of: room).post { shard in
                    shard.owner.readLog(of: room, HistoryRequest(room: room.room)) { _, result in
                        continuation.resume(returning: try? result.get().epoch)
                    }
                }
            }
            // Another one: it was being opened while the import was under way.
            if found == epoch || found == nil { return }
        }
    }
}
