import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomStore

/// A log beside a model of it, which is a list: batches of all sizes, with keys, redactions and times, are read in all ways.
@Suite(.timeLimit(.minutes(5)))
struct HistoryModelTests {
    @Test(arguments: TestSeeds.of(1...24))
    func `a log answers as its model does`(_ seed: UInt64) async throws {
        var life = try await RandomLife(seed: seed)
        for _ in 0..<60 { try await life.step() }
        await life.test.store.close()
    }
}

/// What happens to one log, and what has to be in it.
private struct RandomLife {
    let test: StoreUnderTest
    private var random: SeededRandom
    private var log: LogID
    /// Of the channel.
    private var retention = HistorySettings(count: 1_000, age: .seconds(3_600))
    /// What the log goes by where nobody says it: what an append or an opening has said.
    private var noted = HistorySettings(count: 1_000_000, age: .seconds(3_600))
    /// All that were ever appended; `seq` 1 is the first.
    private var entries: [LogEntry] = []
    private var oldest: UInt64 = 1

    init(seed: UInt64) async throws {
        self.random = SeededRandom(seed: seed)
        self.test = try StoreUnderTest.make(seed.isMultiple(of: 2) ? .memory : .file)
        self.log = try await self.test.open("room").opened.log
    }

    private var last: UInt64 { UInt64(self.entries.count) }

    mutating func step() async throws {
        switch Int.random(in: 0..<10, using: &self.random) {
        case 0...3: try await self.append()
        case 4: try await self.redact()
        case 5: try await self.find()
        case 6: try await self.reopen()
        case 7: self.change()
        default: try await self.read()
        }
    }

    private mutating func append() async throws {
        let most = [1, 3, 40, 700].randomElement(using: &self.random) ?? 1
        let isKeyed = Bool.random(using: &self.random)
        let bytes = [0, 10, 300, 5_000].randomElement(using: &self.random) ?? 0
        let new = (1...UInt64.random(in: 1...UInt64(most), using: &self.random)).map { offset in
            if Int.random(in: 0..<50, using: &self.random) == 0 { self.test.clock.advance(by: .seconds(1)) }
            return LogEntry.make(
                self.last + offset,
                sentAt: self.test.clock.now + Int64((self.last + offset) >> 12),
                keyed: isKeyed && Bool.random(using: &self.random),
                bytes: bytes
            )
        }
        try await self.append(new)
    }

    private mutating func redact() async throws {
        guard let target = (self.oldest..<self.last + 1).randomElement(using: &self.random) else { return }
        let index = Int(target) - 1
        let tail = ByteBuffer(string: "gone \(target)")
        let redaction = LogEntry(
            .redaction,
            seq: self.last + 1,
            id: LogEntry.make(self.last + 1, sentAt: self.test.clock.now + Int64((self.last + 1) >> 12)).id,
            tail: ByteBuffer(string: "redaction")
        )
        try await self.append([redaction], [Tombstone(seq: target, id: self.entries[index].id, tail: tail)])
        guard self.entries[index].kind == .message else { return }
        self.entries[index].kind = .tombstone
        self.entries[index].tail = tail
    }

    private mutating func append(_ new: [LogEntry], _ tombstones: [Tombstone] = []) async throws {
        let batch = LogBatch(
            log: self.log,
            retention: self.retention,
            durability: .process,
            entries: new,
            tombstones: tombstones
        )
        let receipt: AppendReceipt = try await withCheckedContinuation { continuation in
            self.test.store.append(batch) { continuation.resume(returning: $0) }
        }.get()
        self.log = receipt.log ?? self.log
        self.entries += new
        self.noted = self.retention
        self.oldest = self.oldest(by: self.retention)
        #expect(receipt.oldestSeq == self.oldest)
    }

    private func oldest(by retention: HistorySettings) -> UInt64 {
        let count = UInt64(retention.count)
        let byCount = self.last >= count ? self.last - count + 1 : 1
        let cutoff = self.test.clock.now - retention.age.components.seconds * 1_000
        let byAge = self.entries.first { $0.id.milliseconds >= cutoff }?.seq ?? self.last + 1
        return max(self.oldest, byCount, byAge)
    }

    private mutating func read() async throws {
        let maxCount = Int.random(in: 1...900, using: &self.random)
        let maxBytes = [1, 5_000, 2_000_000].randomElement(using: &self.random) ?? 1
        let seq = UInt64.random(in: 0...self.last + 2, using: &self.random)
        let through = UInt64.random(in: 0...self.last + 2, using: &self.random)
        let isAfter = Bool.random(using: &self.random)
        let query = LogQuery(
            log: self.log,
            retention: self.retention,
            range: isAfter ? .after(seq, through: through) : .before(seq),
            maxCount: maxCount,
            maxBytes: maxBytes,
            now: self.test.clock.now,
            asker: .broker
        )
        let page: LogPage = try await withCheckedContinuation { continuation in
            self.test.store.read(query) { continuation.resume(returning: $0) }
        }.get()
        let oldest = self.oldest(by: self.retention)
        let asked = self.entries.filter {
            $0.seq >= oldest && (isAfter ? $0.seq > seq && $0.seq <= through : $0.seq < seq)
        }
        var bytes = 0
        let taken = (isAfter ? asked : asked.reversed()).prefix(maxCount).prefix { entry in
            let isFirst = bytes == 0
            bytes += entry.tail.readableBytes
            return isFirst || bytes <= maxBytes
        }
        let expected = (isAfter ? Array(taken) : taken.reversed()).map { entry in
            LogEntry(entry.kind, seq: entry.seq, id: entry.id, tail: entry.tail)
        }
        #expect(page.entries == expected)
        #expect(page.hasMore == (taken.count < asked.count))
        #expect(page.oldestSeq == oldest)
    }

    private mutating func find() async throws {
        guard let entry = self.entries.randomElement(using: &self.random) else { return }
        let other = UniqueID(high: entry.id.high, low: entry.id.low ^ 1)
        #expect(try await self.find(entry.id) == (entry.seq >= self.oldest(by: self.noted) ? entry.seq : nil))
        #expect(try await self.find(other) == nil)
    }

    private func find(_ id: UniqueID) async throws -> UInt64? {
        try await withCheckedContinuation { continuation in
            self.test.store.find(id, in: self.log) { continuation.resume(returning: $0) }
        }.get()
    }

    private mutating func reopen() async throws {
        await self.test.store.sweep(now: self.test.clock.now)
        self.oldest = self.oldest(by: self.noted)
        let opened = try await self.test.open("room", keep: self.retention.count, age: self.retention.age).opened
        #expect(opened.lastSeq == self.last)
        #expect(opened.lastID == self.entries.last?.id)
        #expect(opened.oldestSeq == self.oldest(by: self.retention))
        let cutoff = self.test.clock.now - 600_000
        let keyed = self.entries.filter { $0.key != nil && $0.id.milliseconds >= cutoff }
        // No more than 2 MiB of them are told.
        let keys = keyed.suffix(opened.recentKeys.count)
        #expect(opened.recentKeys.map(\.seq) == keys.map(\.seq))
        #expect(opened.recentKeys.map(\.tail) == keys.map(\.tail))
        let bytes = keys.reduce(0) { $0 + $1.tail.readableBytes }
        #expect(keys.count == keyed.count || bytes >= 2 << 20)
        let known = self.last - min(self.last, 2_000)
        let redactions = self.entries.filter { $0.kind == .redaction && $0.seq > known }.map(\.seq)
        // Those that nobody is served are known or not.
        #expect(redactions.suffix(opened.redactions.seqs.count) == opened.redactions.seqs)
        #expect(Set(redactions.filter { $0 >= self.oldest }).isSubset(of: opened.redactions.seqs))
        // The log notes it with the next transaction, which is that of nobody else.
        try await self.test.write { _ in }
        self.noted = self.retention
    }

    /// The retention of what is appended from now on, and the time.
    private mutating func change() {
        self.retention = HistorySettings(
            count: [1, 30, 1_000, 100_000].randomElement(using: &self.random) ?? 1,
            age: .seconds([5, 700, 3_600].randomElement(using: &self.random) ?? 5)
        )
        self.test.clock.advance(by: .seconds(Int64.random(in: 0...400, using: &self.random)))
    }
}
