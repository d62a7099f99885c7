import GRDB
import NIOCore
package import RoomCore
package import RoomModel

extension HistoryStore {
    /// Appends go on between two steps.
    private static let clearedInStep = 64
    /// No other room is cleared in a step that has read so many bytes of messages for their keys.
    private static let bytesReadInStep = 8 << 20
    /// The bytes of a transaction that a room's row takes.
    private static let pageBytes = 4_096

    package func clear(_ rooms: [RoomKey], completion: @escaping @Sendable (Result<Void, EngineError>) -> Void) {
        self.clear(rooms[...], completion: completion)
    }

    private func clear(
        _ rooms: ArraySlice<RoomKey>,
        completion: @escaping @Sendable (Result<Void, EngineError>) -> Void
    ) {
        let step = rooms.prefix(Self.clearedInStep)
        // Without rooms, behind the appends that begin logs.
        let lane: WriteQueue.Lane = step.isEmpty ? .newLog : .change
        self.write(lane: lane, durability: .power, bytes: step.count * Self.pageBytes) { db in
            var (cleared, bytesRead) = (0, 0)
            for room in step where bytesRead < Self.bytesReadInStep {
                bytesRead += try ClearedLog.clear(db, room, now: self.now())
                cleared += 1
            }
            try EpochSeed.change(db)
            self.inUse.cleared(step.prefix(cleared))
            return cleared
        } completion: { result in
            if case .success(let cleared) = result, cleared < rooms.count {
                self.clear(rooms.dropFirst(cleared), completion: completion)
            } else {
                completion(result.map { _ in })
            }
        }
    }

    package func importLog(
        _ part: LogImport,
        completion: @escaping @Sendable (Result<ImportReceipt, LogImportError>) -> Void
    ) {
        let bytes = part.entries.reduce(0) { $0 + $1.tail.readableBytes }
        self.write(lane: .change, durability: .power, bytes: bytes, storesMessages: true) { db in
            try RoomLog.store(part, in: db, now: self.now())
        } completion: { result in
            completion((try? result.get()) ?? .failure(.unavailable))
        }
    }

    package func rooms(
        in channel: ChannelID,
        completion: @escaping @Sendable (Result<[RoomName], EngineError>) -> Void
    ) {
        self.read(generation: nil, for: nil, completion) { db, _ in
            try String.fetchAll(
                db.cachedStatement(sql: "SELECT name FROM room WHERE channel = ? ORDER BY name"),
                arguments: [channel.text]
            ).map { RoomName($0) }
        }
    }

    package func find(
        _ id: UniqueID,
        in log: LogID,
        completion: @escaping @Sendable (Result<UInt64?, EngineError>) -> Void
    ) {
        self.read(generation: log.generation, for: .reader(.broker), completion) { db, _ in
            if let log = try RoomLog(db, id: log) { return try log.seq(of: id, now: self.now()) }
            try self.checkIsNew(log)
            return nil
        }
    }

    /// Whether a message would be stored, as far as is known: the file is open and the last write went well. After a
    /// failure each sweep tries again, so that it is known within a minute when what hindered it is gone.
    package var isWritable: Bool { self.supervisor.isWritable }

    /// Whether the last start found that messages which were stored may be lost.
    package var mayHaveLost: Bool { self.supervisor.mayHaveLost }

    /// The size of the history file with its `-wal`; `nil` in memory.
    package var fileBytes: Int64? { self.supervisor.fileBytes }
}
