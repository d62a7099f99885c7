import Foundation
import GRDB
import Logging
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomStore

/// A node is killed at any time and starts again with its history: whatever it had stored and not stored, in the end it has what
/// the log says.
@Suite(.timeLimit(.minutes(5)))
struct ProjectionCrashTests {
    @Test(arguments: TestSeeds.of(1...10))
    func `after kills at any place the history is the log's, to each place`(seed: UInt64) async throws {
        var life = try await CrashingNode(seed: seed)
        try await life.run()
        #expect(life.crashes > 3 && life.repeated > 0, "seed \(seed)")
    }

    @Test func `a node that starts from a backup, with the rest of the log, has the same as one that has applied all`()
        async throws
    {
        var rooms = SeededRooms(seed: 42)
        let records = try rooms.records(steps: 200)
        let source = try BackupUnderTest()
        let test = StoreUnderTest(
            directory: source.parent,
            clock: source.clock,
            log: LogCollector(),
            store: source.history
        )
        var node = try await ProjectedNode(test, rooms.rules)
        let middle = records.count / 2
        for record in records.prefix(middle) { try node.apply(record) }
        // a snapshot that is older than the place of the backup
        node.pass(milliseconds: 600_000)
        try node.apply(records[middle])
        try await node.settle()
        for record in records[(middle + 1)..<(middle + 20)] {
            try node.apply(record)
            node.pass(milliseconds: 20)
            await node.store()
        }
        let (path, digests) = try await source.fetch(try await source.service.make(), to: "copy")
        let copied = try #require(node.projection.stored)
        try await node.follow(records[(middle + 20)...])

        let data = try TemporaryDirectory()
        let target = try RestoreTarget(data.path)
        try target.stage(from: path, digests: digests)
        _ = try target.moveAside(now: source.clock.now)
        try target.finish()
        target.close()
        let joining = try StoreUnderTest.make(in: data, bootID: "boot 2")
        #expect(try await ProjectedNode.open(joining.store).place == copied)
        var other = try await ProjectedNode(joining, rooms.rules)
        #expect(other.next.rawValue == UInt64(middle + 2))
        try await other.follow(records[(middle + 1)...])
        #expect(other.partition.encoded == node.partition.encoded)
        #expect(other.projection.stored == node.projection.stored)
        #expect(try await joining.projectedRooms() == test.projectedRooms())
        for key in node.partition.roomKeys {
            let room = try #require(node.partition[key])
            #expect(try await other.served(room) == node.served(room))
        }
        #expect(joining.log.lines(.critical).isEmpty)
        await joining.store.close()
        try await source.close()
    }
}

/// A node beside a model of what it has to have, by a seed.
private struct CrashingNode {
    private var random: SeededRandom
    private let rules: SeededRooms.Rules
    private let records: [LossyLog.Record]
    private var node: ProjectedNode
    private(set) var crashes = 0
    /// Writes whose outcome the node did not know.
    private(set) var repeated = 0

    init(seed: UInt64) async throws {
        var rooms = SeededRooms(seed: seed)
        self.records = try rooms.records(steps: 300)
        self.rules = rooms.rules
        self.random = SeededRandom(seed: seed &+ 7_919)
        self.node = try await ProjectedNode(StoreUnderTest.make(), self.rules)
    }

    mutating func run() async throws {
        while Int(self.node.next.rawValue) <= self.records.count {
            try self.node.apply(self.records[Int(self.node.next.rawValue) - 1])
            self.node.pass(milliseconds: self.random.chance(2) ? 600_000 : self.random.below(30))
            if self.node.projection.deadline == nil, self.random.chance(20) {
                await self.node.test.store.sweep(now: self.node.time)
            }
            if self.random.chance(2) {
                try await self.crash()
            } else if let write = self.node.projection.take(now: self.node.now) {
                try await self.store(write)
            }
        }
        try await self.node.settle()
        try await self.check(self.node)
        await self.node.test.store.close()
    }

    private mutating func store(_ write: ProjectionWrite) async throws {
        try await self.node.store(write)
        switch self.random.below(10) {
        case 0: try await self.crash()
        case 1:
            _ = self.node.projection.failed(.unavailable, now: self.node.now)
            self.repeated += 1
        default: _ = self.node.projection.written()
        }
    }

    /// What a process that is killed now leaves is found by another one, perhaps after a power cut.
    private mutating func crash() async throws {
        self.crashes += 1
        let (before, copy) = (self.node.test, try TemporaryDirectory())
        try before.directory.copyHistory(to: copy)
        await before.store.close()
        let test = try StoreUnderTest.make(in: copy, bootID: self.random.chance(50) ? "boot 1" : "boot 2")
        self.node = try await ProjectedNode(test, self.rules)
        try await self.check(self.node)
    }

    /// Compares the history with the model at its place.
    private mutating func check(_ node: ProjectedNode) async throws {
        var (partition, model) = (self.rules.partition, HistoryModel())
        for (index, stored) in self.records.prefix(Int(node.projection.stored?.rawValue ?? 0)).enumerated() {
            let record = try PartitionRecord(decoding: stored.bytes)
            model.apply(partition.apply(record, at: LogOffset(rawValue: UInt64(index) + 1), time: stored.time))
        }
        var at = node
        at.partition = partition
        for key in partition.roomKeys {
            guard let room = partition[key] else { continue }
            let served = try await at.served(room)
            #expect(served == model.served(room, at: at.time), "\(key) at \(at.next.rawValue)")
        }
        let redacted = model.redacted
        await node.test.store.sweep(now: at.time)
        let found = try await node.test.write { db in
            let rows = try Data.fetchAll(db, sql: "SELECT messages FROM batch")
            return redacted.filter { text in rows.contains { $0.range(of: Data(text.utf8)) != nil } }
        }
        #expect(found == [])
        guard Int(node.next.rawValue) > self.records.count else { return }
        #expect(node.partition.encoded == partition.encoded)
    }
}

extension StoreUnderTest {
    /// What the file says of its rooms, but for what is trimmed yet.
    func projectedRooms() async throws -> [String] {
        try await self.write { db in
            try Row.fetchAll(
                db,
                sql: "SELECT name, epoch, last_seq, last_high, last_low, last_redaction FROM room ORDER BY name"
            ).map { "\($0)" }
        }
    }
}
