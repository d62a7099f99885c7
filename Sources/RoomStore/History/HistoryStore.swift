import Dispatch
import GRDB
package import Logging
import NIOConcurrencyHelpers
import NIOCore
package import RoomCore
import RoomModel

/// The embedded engine: the logs of rooms with history in one SQLite file, `history.sqlite`.
///
/// Appends of all rooms share transactions (`GroupCommit`), one at a time; reads run beside them on connections of
/// their own. Calls come from any thread and never block; completions are called on threads of the store.
package final class HistoryStore: RoomEngine {
    /// Writes, and everything that opens and closes the file, in order.
    let queue: DispatchQueue
    let supervisor: HistorySupervisor
    private let group: GroupCommit
    private let reads = ReadQueue()
    let inUse = LogsInUse()
    let rooms: StoredRoomsWatch
    private let damage: DamageLog
    /// How many of a channel can be stored.
    let roomsPerChannel: Int
    /// Where the next sweep goes on.
    let sweepPosition = NIOLockedValueBox<Int64>(0)
    let logger: Logger
    let now: @Sendable () -> Int64

    /// Opens the file, which is created if there is none; a corrupt one is moved aside.
    ///
    /// - Parameters:
    ///   - reserve: is given up where the disk is full.
    ///   - roomsPerChannel: how many rooms of a channel can have a log of which something is stored.
    ///   - bootID: names the machine's current boot (`/proc/sys/kernel/random/boot_id`).
    ///   - now: Unix milliseconds.
    ///   - observer: is told of each commit of messages.
    ///   - migration: is told how far the store is with the messages of an earlier version.
    package init(
        _ location: StoreLocation,
        reserve: DiskReserve = .none,
        roomsPerChannel: Int = .max,
        bootID: String,
        logger: Logger,
        now: @escaping @Sendable () -> Int64,
        observer: (any CommitObserver)? = nil,
        migration: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) throws(HistoryStoreError) {
        let queue = DispatchQueue(label: "roomline.history.commit")
        let supervisor = try HistorySupervisor(
            location,
            reserve: reserve,
            queue: queue,
            bootID: bootID,
            logger: logger,
            now: now,
            migration: migration
        )
        let writer = HistoryWriter(supervisor: supervisor, observer: observer)
        self.queue = queue
        self.supervisor = supervisor
        self.group = GroupCommit(on: queue) { writer.commit($0, others: $1) }
        self.roomsPerChannel = roomsPerChannel
        self.rooms = StoredRoomsWatch(limit: roomsPerChannel, logger: logger)
        self.damage = DamageLog(logger)
        self.logger = logger
        self.now = now
    }

    package func append(
        _ batch: LogBatch,
        completion: @escaping @Sendable (Result<AppendReceipt, EngineError>) -> Void
    ) {
        let job = WriteJob(
            generation: batch.log.generation,
            lane: batch.log.new == nil ? .log : .newLog,
            durability: batch.durability,
            payer: batch.payer,
            entries: batch.entries.count,
            bytes: batch.entries.reduce(0) { $0 + $1.tail.readableBytes },
            storesMessages: batch.entries.contains { $0.kind.isMessage }
        ) { db in
            var log = try self.logToAppend(batch, db)
            guard log.isContinued(by: batch.entries) else {
                self.logNotContinued(batch, log.room)
                throw EngineError.unavailable
            }
            if log.room.isSynced, batch.durability == .process {
                // Were it lost, the room would still pass for one that has lost nothing.
                self.supervisor.current.file?.syncJob()
            }
            let appended = try log.append(batch, now: self.now())
            let name = batch.log.new.map { _ in LogID(log.room, generation: batch.log.generation) }
            return { [receipt = appended.named(name)] in completion(.success(receipt)) }
        } failed: { error in
            completion(.failure(error))
        }
        self.submit(job)
    }

    package func read(_ query: LogQuery, completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void) {
        self.read(generation: query.log.generation, for: .reader(query.asker), completion) { db, _ in
            guard let log = try RoomLog(db, id: query.log) else {
                try self.checkIsNew(query.log)
                return LogPage(entries: [], hasMore: false, oldestSeq: 1)
            }
            let page = try log.page(query)
            if let lost = page.lost {
                self.damage.found(DamagedMessages(room: try RoomRow.key(db, id: log.room.id), seqs: lost))
            }
            return page
        }
    }

    /// Looks through the whole file for damage; to be called once after the start, which does not wait for it. Ends
    /// early when the task is cancelled, the store closed, or the file too busy.
    package func checkIntegrity() async {
        for damaged in await self.supervisor.checkIntegrity() { self.damage.found(damaged) }
    }

    /// Looks whether the file is where it was opened; the log says when it is not any more, and when it is again.
    package func look() {
        self.queue.async { self.supervisor.look() }
    }

    /// Stores what is under way and closes the file in order. Calls that come later answer `.unavailable`.
    package func close() async {
        await withCheckedContinuation { continuation in
            self.group.close {
                let file = self.supervisor.current.file
                let close: @Sendable () -> Void = {
                    self.queue.async {
                        self.supervisor.close()
                        continuation.resume()
                    }
                }
                if let syncs = file?.syncs { syncs.whenDone(close) } else { close() }
            }
        }
    }

    /// Runs `work` within a later transaction.
    func write<Value: Sendable>(
        lane: WriteQueue.Lane = .upkeep,
        durability: Durability = .process,
        bytes: Int = 0,
        storesMessages: Bool = false,
        _ work: @escaping @Sendable (Database) throws -> Value,
        completion: @escaping @Sendable (Result<Value, EngineError>) -> Void
    ) {
        let job = WriteJob(
            generation: nil,
            lane: lane,
            durability: durability,
            bytes: bytes,
            storesMessages: storesMessages
        ) { db in
            let value = try work(db)
            return { completion(.success(value)) }
        } failed: { error in
            completion(.failure(error))
        }
        self.submit(job)
    }

    func submit(_ job: WriteJob) { self.group.submit(job) }

    /// Reads from the current file, which has to be of this generation, when it is the asker's turn.
    ///
    /// - Parameter asker: `nil` for a read that is long.
    func read<Value: Sendable>(
        generation: Int?,
        for asker: ReadQueue.Asker?,
        _ completion: @escaping @Sendable (Result<Value, EngineError>) -> Void,
        _ work: @escaping @Sendable (Database, _ generation: Int) throws -> Value
    ) {
        let isTaken = self.reads.read(for: asker) { ended in
            self.readNow(generation: generation, work) { result in
                completion(result)
                ended()
            }
        }
        if !isTaken { self.queue.async { completion(.failure(.unavailable)) } }
    }

    private func readNow<Value: Sendable>(
        generation: Int?,
        _ work: @escaping @Sendable (Database, _ generation: Int) throws -> Value,
        completion: @escaping @Sendable (Result<Value, EngineError>) -> Void
    ) {
        let (reader, current) = self.supervisor.reading
        guard let reader, generation == nil || generation == current else {
            let error: EngineError = generation == nil || generation == current ? .unavailable : .reset
            self.queue.async { completion(.failure(error)) }
            return
        }
        reader.asyncRead { result in
            let answer: Result<Value, EngineError>
            do {
                answer = .success(try work(try result.get(), current))
            } catch let error as EngineError {
                answer = .failure(error)
            } catch {
                self.supervisor.report(error, generation: current)
                answer = .failure(StorageFailure(error).engineError)
            }
            completion(answer)
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
