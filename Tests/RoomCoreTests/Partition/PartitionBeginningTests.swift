import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// A partition that begins with the rooms of a broker that ran alone.
struct PartitionBeginningTests {
    private static let channel = RoomChannel(settings: .make(history: 100))
    private static let newestID: Int64 = 1_763_697_600_000
    private static let stored = RoomKey.make("stored")
    private static let locked = RoomKey.make("locked")
    private static let epoch = Epoch(rawValue: 7)

    private static func settings(_ room: RoomKey) -> RoomSettings {
        var settings = self.channel.roomSettings(of: room.room, BrokerLimits())
        settings.version = 0
        return settings
    }

    /// Three messages, the second one with the key 5.
    private static func partition() throws -> Partition {
        let log = OpenedLog(
            log: LogID(rawValue: 1, generation: 1),
            epoch: self.epoch,
            lastSeq: 3,
            lastID: .make(3),
            oldestSeq: 1,
            recentKeys: [],
            redactions: RedactionIndex(unknownThrough: 0, seqs: [1])
        )
        let id = UniqueID(milliseconds: self.newestID - 1_000, sequence: 0, random: 1)
        let publish = StoredPublish(
            key: PublishKey(id: .make(5), digest: StableHash.of(PublishCommand.make().message)),
            seq: 2,
            stamp: Stamp(id: id, sender: .make("ann"))
        )
        let rooms = [
            StandaloneRoom(self.stored, self.settings(self.stored), rules: RoomRules(), log: log, publishes: [publish]),
            StandaloneRoom(self.locked, self.settings(self.locked), rules: .make(locked: true)),
        ]
        let written = Partition(rooms, newestID: self.newestID, limits: BrokerLimits())
        // as a node reads it
        return try Partition(decoding: written.encoded, limits: BrokerLimits())
    }

    private static func bench() throws -> PartitionBench {
        PartitionBench(try self.partition(), .make(history: 100))
    }

    @Test func `a room goes on in its epoch behind its newest message, with greater ids`() throws {
        var bench = try Self.bench()
        // the log's clock is behind the broker's
        let applied = bench.append(.publish(.make()), in: Self.stored, at: Self.newestID - 60_000)
        let entries = applied.batches.flatMap(\.batch.entries)
        #expect(entries.map(\.seq) == [4])
        #expect(entries.allSatisfy { $0.stamp.id.milliseconds >= Self.newestID })
        #expect(bench.partition[Self.stored]?.epoch == Self.epoch)
        #expect(bench.partition[Self.stored]?.redactions.seqs == [1])
    }

    @Test func `a message that is sent again is known, as long as the broker would have known it`() throws {
        var bench = try Self.bench()
        let known = bench.isNew(5, in: Self.stored, at: Self.newestID)
        let other = bench.isNew(6, in: Self.stored, at: Self.newestID)
        #expect(!known && other)
        // its time goes on by at most 15 seconds with a record
        for step in 1...39 { bench.append(1, at: Self.newestID + Int64(step) * 15_000) }
        let isStillKnown = !bench.isNew(5, in: Self.stored, at: Self.newestID + 595_000)
        bench.append(1, at: Self.newestID + 600_000)
        let isForgotten = bench.isNew(5, in: Self.stored, at: Self.newestID + 600_000)
        #expect(isStillKnown && isForgotten)
    }

    @Test func `rules of a room without messages hold`() throws {
        var bench = try Self.bench()
        var publish = PublishCommand.make()
        publish.author = .client(ClientID("ann"))
        let applied = bench.append(.publish(publish), in: Self.locked, at: Self.newestID)
        #expect(applied.batches.allSatisfy { $0.batch.entries.isEmpty })
        #expect(bench.partition[Self.locked]?.rules == .make(locked: true))
    }

    @Test func `a room that begins has ids behind all that the broker has given`() throws {
        var bench = try Self.bench()
        let applied = bench.append(.publish(.make()), in: .make("new"), at: Self.newestID - 60_000)
        let id = try #require(applied.batches.first?.batch.entries.first?.stamp.id)
        #expect(id.milliseconds >= Self.newestID)
    }
}
