import Dispatch
import GRDB
package import Logging
import NIOCore
package import RoomCore
package import RoomModel

/// The embedded engine: the logs of rooms with history in one SQLite file, `history.sqlite`.
///
/// Appends of all rooms share transactions (`GroupCommit`), one at a time; reads run beside them on connections of
/// their own. Calls come from any thread and never block; completions are called on threads of the store.
package final class HistoryStore: RoomEngine {
    /// Writes, and everything that opens and closes the file, in order.
    let queue: DispatchQueue
    let supervisor: HistorySupervisor
    private let group: GroupCommit
    private let logger: Logger
    let now: @Sendable () -> Int64

    /// Opens the file, which is created if there is none; a corrupt one is moved aside.
    ///
    /// - Parameters:
    ///   - bootID: names the machine's current boot (`/proc/sys/kernel/random/boot_id`).
    ///   - now: Unix milliseconds.
    ///   - observer: is told of each commit of messages.
    package init(
        _ location: StoreLocation,
        bootID: String,
        logger: Logger,
        now: @escaping @Sendable () -> Int64,
        observer: (any CommitObserver)? = nil
    ) throws(HistoryStoreError) {
        let queue = DispatchQueue(label: "roomline.history.commit")
        let supervisor = try HistorySupervisor(location, queue: queue, bootID: bootID, logger: logger, now: now)
        let writer = HistoryWriter(supervisor: supervisor, observer: observer)
        self.queue = queue
        self.supervisor = supervisor
        self.group = GroupCommit(on: queue) { writer.commit($0) }
        self.logger = logger
        self.now = now
    }

    package func open(
        _ room: RoomKey,
        retention: HistorySettings,
        durability: Durability,
        completion: @escaping @Sendable (Result<OpenedLog, EngineError>) -> Void
    ) {
        self.findLog(room, retention: retention) { result in
            switch result {
            case .success(let log?): completion(.success(log))
            case .failure(.reset): completion(.failure(.reset))
            case .success(nil), .failure(.unavailable):
                self.registerAndOpen(room, retention: retention, durability: durability, completion: completion)
            }
        }
    }

    package func append(
        _ batch: LogBatch,
        completion: @escaping @Sendable (Result<AppendReceipt, EngineError>) -> Void
    ) {
        let job = WriteJob(
            generation: batch.log.generation,
            durability: batch.durability,
            entries: batch.entries.count,
            bytes: batch.entries.reduce(0) { $0 + $1.tail.readableBytes }
        ) { db in
            var log = try RoomLog(db, id: batch.log)
            guard log.isContinued(by: batch.entries) else {
                self.logNotContinued(batch, log.room)
                throw EngineError.unavailable
            }
            let receipt = try log.append(batch, now: self.now())
            return { completion(.success(receipt)) }
        } failed: { error in
            completion(.failure(error))
        }
        self.group.submit(job)
    }

    package func read(_ query: LogQuery, completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void) {
        self.read(generation: query.log.generation, completion) { db, _ in
            try RoomLog(db, id: query.log).page(query)
        }
    }

    /// Deletes the rows of cleared logs and trims rooms that get no more appends; to be called each minute. Returns when all rooms were looked at; other
    /// work goes on between its many small steps.
    package func sweep(now: Int64) async {
        if !self.isWritable { _ = await self.sweepStep { try HistorySession.tryToWrite($0) } }
        while await self.sweepStep({ try ClearedLog.sweep($0) ? true : nil }) != nil {}
        var position: Int64? = 0
        while let room = position {
            position = await self.sweepStep { try Sweep.step($0, above: room, now: now) }
        }
    }

    /// `nil` after the last step, a failure or a cancellation: the next minute's sweep begins anew.
    private func sweepStep<Position: Sendable>(
        _ step: @escaping @Sendable (Database) throws -> Position?
    ) async -> Position? {
        guard !Task.isCancelled else { return nil }
        return await withCheckedContinuation { continuation in
            self.write(step) { result in
                continuation.resume(returning: (try? result.get()) ?? nil)
            }
        }
    }

    /// Looks through the whole file for damage; to be called once after the start, which does not wait for it. Ends
    /// early when the task is cancelled, the store closed, or the file too busy.
    package func checkIntegrity() async {
        await self.supervisor.checkIntegrity()
    }

    /// Stores what is under way and closes the file in order. Calls that come later answer `.unavailable`.
    package func close() async {
        await withCheckedContinuation { continuation in
            self.group.close {
                self.supervisor.close()
                continuation.resume()
            }
        }
    }

    /// Runs `work` within a later transaction.
    func write<Value: Sendable>(
        durability: Durability = .process,
        _ work: @escaping @Sendable (Database) throws -> Value,
        completion: @escaping @Sendable (Result<Value, EngineError>) -> Void
    ) {
        let job = WriteJob(generation: nil, durability: durability) { db in
            let value = try work(db)
            return { completion(.success(value)) }
        } failed: { error in
            completion(.failure(error))
        }
        self.group.submit(job)
    }

    /// The room's log if it exists and nothing has to be noted about it.
    private func findLog(
        _ room: RoomKey,
        retention: HistorySettings,
        completion: @escaping @Sendable (Result<OpenedLog?, EngineError>) -> Void
    ) {
        self.read(generation: nil, completion) { db, generation in
            guard let row = try RoomRow.fetch(db, room), row.keeps(retention) else { return nil }
            return try RoomLog(db, room: row).opened(generation: generation, retention: retention, now: self.now())
        }
    }

    private func registerAndOpen(
        _ room: RoomKey,
        retention: HistorySettings,
        durability: Durability,
        completion: @escaping @Sendable (Result<OpenedLog, EngineError>) -> Void
    ) {
        self.write { db in
            try RoomRow.register(db, room, retention: retention, durability: durability)
        } completion: { result in
            if case .failure(let error) = result { return completion(.failure(error)) }
            self.findLog(room, retention: retention) { result in
                completion(result.flatMap { $0.map(Result.success) ?? .failure(.unavailable) })
            }
        }
    }

    /// Reads from the current file, which has to be of this generation.
    func read<Value: Sendable>(
        generation: Int?,
        _ completion: @escaping @Sendable (Result<Value, EngineError>) -> Void,
        _ work: @escaping @Sendable (Database, _ generation: Int) throws -> Value
    ) {
        let (file, current) = self.supervisor.current
        guard let file, generation == nil || generation == current else {
            let error: EngineError = generation == nil || generation == current ? .unavailable : .reset
            self.queue.async { completion(.failure(error)) }
            return
        }
        file.writer.asyncRead { result in
            do {
                completion(.success(try work(try result.get(), current)))
            } catch let error as EngineError {
                completion(.failure(error))
            } catch {
                self.supervisor.report(error, generation: current)
                completion(.failure(StorageFailure(error).engineError))
            }
        }
    }

    private func logNotContinued(_ batch: LogBatch, _ room: RoomRow) {
        self.logger.error(
            "append does not continue the log: it was refused",
            metadata: [
                "log.id": "\(room.id)", "log.last_seq": "\(room.lastSeq)",
                "batch.first_seq": "\(batch.entries.first?.seq ?? 0)", "batch.count": "\(batch.entries.count)",
            ]
        )
    }
}
