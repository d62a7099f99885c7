import GRDB
import Logging
import NIOCore
import RoomCore
import RoomModel

@testable import RoomStore

/// Which store a contract test runs on.
enum StoreKind: String, CaseIterable, Sendable {
    case memory
    case file
}

/// A history store with what it runs on, and its calls as `async` ones.
struct StoreUnderTest {
    let directory: TemporaryDirectory
    let clock: ManualClock
    let log: LogCollector
    let store: HistoryStore

    static func make(
        _ kind: StoreKind = .file,
        in directory: TemporaryDirectory? = nil,
        reserve: DiskReserve = .none,
        roomsPerChannel: Int = .max,
        bootID: String = "boot 1",
        clock: ManualClock = ManualClock(),
        observer: (any CommitObserver)? = nil,
        migration: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) throws -> StoreUnderTest {
        let directory = try directory ?? TemporaryDirectory()
        let log = LogCollector()
        let location = kind == .memory ? StoreLocation.memory : .file(directory.file("history.sqlite"))
        let store = try HistoryStore(
            location,
            reserve: reserve,
            roomsPerChannel: roomsPerChannel,
            bootID: bootID,
            logger: log.logger,
            now: { clock.now },
            observer: observer,
            migration: migration
        )
        return StoreUnderTest(directory: directory, clock: clock, log: log, store: store)
    }

    func open(
        _ room: String = "room",
        keep count: Int = 1_000_000,
        age: Duration = .seconds(3_600),
        durability: Durability = .process
    ) async throws -> OpenRoom {
        let retention = HistorySettings(count: count, age: age)
        let key = try RoomKey.make(room)
        let result = await withCheckedContinuation { continuation in
            self.store.open(key, retention: retention, keysSince: self.clock.now - 600_000, for: .broker) {
                continuation.resume(returning: $0)
            }
        }
        return OpenRoom(test: self, opened: try result.get(), retention: retention, durability: durability)
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedContinuation { continuation in
            self.store.write(work) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The id of the room's row; `nil` where it has none.
    func rowID(_ room: String) async throws -> Int64? {
        try await self.write { try Int64.fetchOne($0, sql: "SELECT id FROM room WHERE name = ?", arguments: [room]) }
    }

    func count(_ table: String) async throws -> Int {
        try await self.write { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }

    /// How many messages have rows, served or not.
    func storedMessages() async throws -> Int {
        try await self.write { try Int.fetchOne($0, sql: "SELECT coalesce(sum(count), 0) FROM batch") ?? 0 }
    }
}

/// A room's log as it was when it was opened.
struct OpenRoom {
    let test: StoreUnderTest
    let opened: OpenedLog
    let retention: HistorySettings
    let durability: Durability

    @discardableResult
    func append(_ seqs: ClosedRange<UInt64>, keyed: Bool = false, bytes: Int = 10) async throws -> AppendReceipt {
        try await withCheckedContinuation { continuation in
            self.submit(seqs, keyed: keyed, bytes: bytes) { continuation.resume(returning: $0) }
        }.get()
    }

    func append(_ entries: [LogEntry]) async throws {
        let batch = LogBatch(
            log: self.opened.log,
            retention: self.retention,
            durability: self.durability,
            entries: entries
        )
        let result = await withCheckedContinuation { continuation in
            self.test.store.append(batch) { continuation.resume(returning: $0) }
        }
        _ = try result.get()
    }

    func submit(
        _ seqs: ClosedRange<UInt64>,
        keyed: Bool = false,
        bytes: Int = 10,
        completion: @escaping @Sendable (Result<AppendReceipt, EngineError>) -> Void
    ) {
        let entries = seqs.map { LogEntry.make($0, sentAt: self.test.clock.now, keyed: keyed, bytes: bytes) }
        let batch = LogBatch(
            log: self.opened.log,
            retention: self.retention,
            durability: self.durability,
            entries: entries
        )
        self.test.store.append(batch, completion: completion)
    }

    func read(
        _ range: LogQuery.Range = .before(.max),
        newest: UInt64? = nil,
        maxCount: Int = 1_000,
        maxBytes: Int = 1_000_000
    ) async throws -> LogPage {
        let query = LogQuery(
            log: self.opened.log,
            retention: self.retention,
            range: range,
            newest: newest,
            maxCount: maxCount,
            maxBytes: maxBytes,
            now: self.test.clock.now,
            asker: .broker
        )
        return try await withCheckedContinuation { continuation in
            self.test.store.read(query) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The same room, opened once more.
    func reopened() async throws -> OpenRoom {
        try await self.test.open(
            "room",
            keep: self.retention.count,
            age: self.retention.age,
            durability: self.durability
        )
    }
}

extension LogPage {
    var seqs: [UInt64] { self.entries.map(\.seq) }
}

extension RoomKey {
    static func make(_ room: String, channel: String = "test") throws -> RoomKey {
        struct InvalidChannel: Error {}
        guard let channel = ChannelID(channel) else { throw InvalidChannel() }
        return RoomKey(channel: channel, room: RoomName(room))
    }
}

extension LogEntry {
    static func make(_ seq: UInt64, sentAt: Int64, keyed: Bool = false, bytes: Int = 10) -> LogEntry {
        let id = UniqueID(milliseconds: sentAt, sequence: UInt16(truncatingIfNeeded: seq & 0xfff), random: seq)
        let key = keyed ? PublishKey(id: UniqueID(high: 7, low: seq), digest: .max - seq) : nil
        let digits = String(seq)
        // as much JSON as a file by an earlier version is checked for
        let zeros = String(repeating: "0", count: max(0, bytes - digits.utf8.count - 8))
        let tail = "\"id\":\"\(zeros)\(digits)\"}"
        return LogEntry(seq: seq, id: id, key: key, tail: ByteBuffer(string: tail))
    }

    /// A message as somebody publishes it, with a key.
    ///
    /// - Parameter number: the key's, and the stamp's.
    static func keyed(
        _ number: UInt64,
        as seq: UInt64,
        sentAt: Int64 = EngineUnderTest.time,
        bytes: Int = 0
    ) -> LogEntry {
        let id = UniqueID(milliseconds: sentAt, sequence: 1, random: number << 2)
        let text = "hello" + String(repeating: "o", count: bytes)
        let tail = Self.senderTail(id).dropLast() + #","timestamp":1,"message":"\#(text)"}"#
        return LogEntry(
            seq: seq,
            id: id,
            key: PublishKey(id: UniqueID(high: 7, low: number), digest: number),
            tail: ByteBuffer(string: String(tail))
        )
    }

    /// What is kept of such a message when it is cleared.
    static func senderTail(_ id: UniqueID) -> String {
        #""id":"\#(id)","client_id":"ann","sender":{"id":"ann"}}"#
    }
}
