import NIOCore
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomStore

/// A node of a cluster as far as its rooms and its history go: it applies the records of a partition and stores what they change.
struct ProjectedNode {
    let test: StoreUnderTest
    var partition: Partition
    var projection: Projection
    /// Monotonic, in nanoseconds.
    private(set) var now: UInt64 = 0

    static let log = "chat/16"

    /// Starts with what the history has.
    init(_ test: StoreUnderTest, _ rules: SeededRooms.Rules, log: String = Self.log) async throws {
        self.test = test
        let found = try await Self.open(test.store, log: log)
        self.partition = try found.snapshot.map { try rules.partition(from: $0) } ?? rules.partition
        self.projection = Projection(found, now: 0)
    }

    static func open(
        _ store: HistoryStore,
        log: String = Self.log
    ) async throws(ProjectionError) -> ProjectedPartition {
        try await withCheckedContinuation { continuation in
            store.openPartition(3, of: log) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The next record to be applied.
    var next: LogOffset { self.partition.accepted.place?.next ?? .first }

    var time: Int64 { self.partition.accepted.time.milliseconds }

    mutating func pass(milliseconds: Int) { self.now += UInt64(milliseconds) * 1_000_000 }

    @discardableResult
    mutating func apply(_ stored: LossyLog.Record) throws -> Partition.Applied {
        let record = try PartitionRecord(decoding: stored.bytes)
        let applied = self.partition.apply(record, at: self.next, time: stored.time)
        self.projection.add(
            applied.changes,
            of: self.partition,
            recordTime: stored.time,
            recordBytes: stored.bytes.readableBytes,
            now: self.now
        )
        return applied
    }

    /// Stores what is due.
    ///
    /// - Returns: whether there was something.
    @discardableResult
    mutating func store() async -> Bool {
        guard let write = self.projection.take(now: self.now) else { return false }
        do {
            try await self.store(write)
            _ = self.projection.written()
        } catch {
            _ = self.projection.failed(error, now: self.now)
        }
        return true
    }

    func store(_ write: ProjectionWrite) async throws(EngineError) {
        try await withCheckedContinuation { continuation in
            self.test.store.store(write) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Applies all of these, and stores it.
    mutating func follow(_ records: some Sequence<LossyLog.Record>) async throws {
        for record in records {
            try self.apply(record)
            self.pass(milliseconds: 20)
            await self.store()
        }
        try await self.settle()
    }

    /// Stores everything.
    mutating func settle() async throws {
        struct Stuck: Error {}
        for _ in 0..<10 where self.projection.deadline != nil {
            self.pass(milliseconds: 1_100)
            await self.store()
        }
        guard self.projection.deadline == nil else { throw Stuck() }
    }

    /// The messages that a room serves, as a client would read them.
    func served(_ room: Room) async throws -> [LogEntry] {
        guard let history = room.settings.history else { return [] }
        let query = LogQuery(
            log: self.projection.log(of: room.key, in: room.epoch),
            retention: history,
            range: .before(.max),
            maxCount: 10_000,
            maxBytes: .max,
            now: self.time,
            asker: .broker
        )
        let page: LogPage = try await withCheckedContinuation { continuation in
            self.test.store.read(query) { continuation.resume(returning: $0) }
        }.get()
        return page.entries
    }
}
