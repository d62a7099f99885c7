import NIOCore
import RoomCore
import RoomModel

@testable import RoomStore

/// An engine with its calls as `async` ones.
struct EngineUnderTest: Sendable {
    static let retention = HistorySettings(count: 1_000_000, age: .seconds(1 << 30))

    let engine: any RoomEngine
    /// Lives as long as the engine.
    var directory: TemporaryDirectory?

    func open(_ room: RoomKey) async throws -> OpenedLog {
        try await Self.call { completion in
            self.engine.open(
                room,
                retention: Self.retention,
                keysSince: Self.time,
                for: .broker,
                completion: completion
            )
        }
    }

    @discardableResult
    func append(_ seqs: ClosedRange<UInt64>, to log: LogID) async throws -> AppendReceipt {
        try await Self.call { self.engine.append(Self.batch(seqs, log), completion: $0) }
    }

    func append(_ entries: [LogEntry], _ tombstones: [Tombstone] = [], to log: LogID) async throws {
        let batch = LogBatch(
            log: log,
            retention: Self.retention,
            durability: .process,
            entries: entries,
            tombstones: tombstones
        )
        let _: AppendReceipt = try await Self.call { self.engine.append(batch, completion: $0) }
    }

    /// Appends a redaction with its tombstones.
    func redact(_ tombstones: [Tombstone], as seq: UInt64, in log: LogID) async throws {
        let entry = LogEntry(.redaction, seq: seq, id: Self.id(seq), tail: ByteBuffer(string: "redaction"))
        try await self.append([entry], tombstones, to: log)
    }

    func read(_ log: LogID) async throws -> [UInt64] { try await self.entries(log).map(\.seq) }

    func entries(_ log: LogID) async throws -> [LogEntry] {
        let query = LogQuery(
            log: log,
            retention: Self.retention,
            range: .before(.max),
            maxCount: 10_000,
            maxBytes: .max,
            now: Self.time,
            asker: .broker
        )
        let page: LogPage = try await Self.call { self.engine.read(query, completion: $0) }
        return page.entries
    }

    func clear(_ rooms: [RoomKey]) async throws {
        try await Self.call { self.engine.clear(rooms, completion: $0) }
    }

    func importLog(
        _ seqs: ClosedRange<UInt64>,
        into room: RoomKey,
        after: ImportReceipt? = nil,
        keep count: Int = 1_000_000
    ) async -> Result<ImportReceipt, LogImportError> {
        let part = LogImport(
            room: room,
            retention: HistorySettings(count: count, age: Self.retention.age),
            after: after.map { Position(epoch: $0.epoch, seq: $0.seq) },
            entries: seqs.map { LogEntry.make($0, sentAt: Self.time + Int64($0 >> 12)) }
        )
        return await withCheckedContinuation { continuation in
            self.engine.importLog(part) { continuation.resume(returning: $0) }
        }
    }

    func rooms(in channel: String) async throws -> [String] {
        let channel = try ChannelID.make(channel)
        let names: [RoomName] = try await Self.call { self.engine.rooms(in: channel, completion: $0) }
        return names.map(\.text)
    }

    func find(_ id: UniqueID, in log: LogID) async throws -> UInt64? {
        try await Self.call { self.engine.find(id, in: log, completion: $0) }
    }

    static let time: Int64 = 1_763_697_600_000

    static func id(_ seq: UInt64) -> UniqueID { LogEntry.make(seq, sentAt: Self.time + Int64(seq >> 12)).id }

    static func batch(_ seqs: ClosedRange<UInt64>, _ log: LogID) -> LogBatch {
        let entries = seqs.map { LogEntry.make($0, sentAt: Self.time + Int64($0 >> 12)) }
        return LogBatch(log: log, retention: Self.retention, durability: .process, entries: entries)
    }

    private static func call<Value: Sendable>(
        _ call: (@escaping @Sendable (Result<Value, EngineError>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }.get()
    }
}
