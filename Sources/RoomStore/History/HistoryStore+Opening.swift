import GRDB
package import RoomCore
package import RoomModel

extension HistoryStore {
    package func open(
        _ room: RoomKey,
        retention: HistorySettings,
        keysSince: Int64,
        for asker: ReadAsker,
        completion: @escaping @Sendable (Result<OpenedLog, EngineError>) -> Void
    ) {
        let found: @Sendable (Result<FoundLog, EngineError>) -> Void = { result in
            if case .success(let found) = result, found.keepsOtherwise { self.note(retention, of: room) }
            completion(result.map(\.opened))
        }
        let mayBeRetiring = self.inUse.open(room)
        guard !mayBeRetiring, self.supervisor.reading.reader != nil else {
            // Where the file is not open, a write opens it; what is being retired is gone, or is not, behind that.
            return self.write(lane: .opening) { _ in
            } completion: { result in
                switch result {
                case .success: self.look(for: room, retention, keysSince, asker, found)
                case .failure(let error): found(.failure(error))
                }
            }
        }
        self.look(for: room, retention, keysSince, asker, found)
    }

    package func close(_ room: RoomKey) {
        self.inUse.close(room)
    }

    private struct FoundLog: Sendable {
        var opened: OpenedLog
        /// The row's retention is not the one that was asked for.
        var keepsOtherwise = false
    }

    private func look(
        for room: RoomKey,
        _ retention: HistorySettings,
        _ keysSince: Int64,
        _ asker: ReadAsker,
        _ found: @escaping @Sendable (Result<FoundLog, EngineError>) -> Void
    ) {
        self.read(generation: nil, for: ReadQueue.asker(opening: room, for: asker), found) { db, generation in
            guard let row = try RoomRow.fetch(db, room) else {
                let new = NewLog(room: room, epoch: try EpochSeed.epoch(of: room, db))
                var opened = OpenedLog(new: self.inUse.name(new, generation: generation))
                opened.recentKeys = try ClearedKeys.of(room, since: keysSince, db)
                return FoundLog(opened: opened)
            }
            let log = RoomLog(db, room: row)
            let opened = try log.opened(
                room,
                generation: generation,
                retention: retention,
                keysSince: keysSince,
                now: self.now()
            )
            return FoundLog(opened: opened, keepsOtherwise: !row.keeps(retention))
        }
    }

    /// For the sweep. Nobody waits for it: an append notes it too.
    private func note(_ retention: HistorySettings, of room: RoomKey) {
        self.write(lane: .note, { try RoomRow.note($0, room, retention) }, completion: { _ in })
    }

    /// The log that a batch goes on with, which begins with it where nothing of it is stored.
    func logToAppend(_ batch: LogBatch, _ db: Database) throws -> RoomLog {
        if let log = try RoomLog(db, id: batch.log) { return log }
        guard let new = batch.log.new, self.inUse.hasGivenOut(batch.log), batch.entries.first?.seq == 1
        else { throw EngineError.reset }
        do {
            try RoomRow.insert(
                db,
                new.room,
                epoch: new.epoch,
                retention: batch.retention,
                durability: batch.durability,
                limit: self.roomsPerChannel
            )
        } catch EngineError.tooManyRooms {
            self.rooms.refused(new.room.channel)
            throw EngineError.tooManyRooms
        }
        guard let log = try RoomLog(db, id: batch.log) else { throw EngineError.unavailable }
        return log
    }

    /// Whether there is nothing to read in a log because nothing of it is stored.
    ///
    /// - Throws: `EngineError.reset` where the room was cleared since the log was opened.
    func checkIsNew(_ log: LogID) throws {
        guard log.new != nil, !self.inUse.hasReplaced(log) else { throw EngineError.reset }
    }
}

extension OpenedLog {
    /// One of which nothing is stored.
    init(new log: LogID) {
        let epoch = log.new?.epoch ?? Epoch(rawValue: 0)
        self.init(log: log, epoch: epoch, lastSeq: 0, lastID: nil, oldestSeq: 1, recentKeys: [])
    }
}
