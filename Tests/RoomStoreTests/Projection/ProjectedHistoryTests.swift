import Foundation
import GRDB
import Logging
import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomStore

/// A history that follows the log of a partition: place, snapshot and messages are one.
@Suite(.timeLimit(.minutes(5)))
struct ProjectedHistoryTests {
    @Test func `place, snapshot and messages survive a kill together`() async throws {
        var bench = try await HistoryBench()
        try await bench.publish("1")
        bench.node.pass(milliseconds: 600_000)
        try await bench.publish("2")
        let snapshot = bench.node.partition.encoded
        try await bench.publish("3")
        let copy = try TemporaryDirectory()
        try bench.test.directory.copyHistory(to: copy)
        let again = try StoreUnderTest.make(in: copy)
        let found = try await ProjectedNode.open(again.store)
        let newest = KnownRecord(place: bench.place(3), time: bench.records[Int(bench.place(3).rawValue) - 1].time)
        #expect(found == ProjectedPartition(partition: 3, generation: 1, newest: newest, snapshot: snapshot))
        #expect(try await again.storedMessages() == 3)
    }

    @Test func `a room has the partition's epoch, and no other after a power cut`() async throws {
        var bench = try await HistoryBench()
        try await bench.publish("1")
        let epoch = try #require(bench.node.partition[HistoryBench.room]?.epoch)
        let copy = try TemporaryDirectory()
        try bench.test.directory.copyHistory(to: copy)
        let again = try StoreUnderTest.make(in: copy, bootID: "boot 2")
        #expect(try await again.write { try RoomRow.fetch($0, HistoryBench.room)?.epoch } == epoch)
        #expect(try await ProjectedNode.open(again.store).place == bench.place(1))
        #expect(again.log.lines(.warning).isEmpty && again.log.lines(.critical).isEmpty)
    }

    /// What is there may be of several places.
    @Test func `a copy without its wal begins anew, and the log makes it whole`() async throws {
        var bench = try await HistoryBench()
        for text in 1...30 { try await bench.publish("\(text)") }
        bench.node.pass(milliseconds: 600_000)
        try await bench.publish("31")
        try await bench.test.checkpoint()
        try await bench.publish("32")
        let copy = try TemporaryDirectory()
        try bench.test.directory.copyHistory(to: copy, without: "-wal")
        let again = try StoreUnderTest.make(in: copy)
        let found = try await ProjectedNode.open(again.store)
        #expect(found.place == nil && found.snapshot == nil)
        var node = try await ProjectedNode(again, bench.rules)
        try await node.follow(bench.records)
        let room = try #require(node.partition[HistoryBench.room])
        #expect(try await node.served(room).map(\.seq) == Array(3...32))
        await again.store.sweep(now: node.time)
        #expect(try await again.storedMessages() < 64)
    }

    // MARK: Whose history it is

    @Test func `the file of a broker that runs alone is refused, and stays as it is`() async throws {
        let room = try await StoreUnderTest.make().open()
        #expect(try await !room.test.write { try FollowedLog.isUsed($0) })
        try await room.append(1...3)
        await #expect(throws: ProjectionError.ownHistory) { try await ProjectedNode.open(room.test.store) }
        #expect(try await !room.test.write { try FollowedLog.isUsed($0) })
        #expect(try await room.read().seqs == [1, 2, 3])
    }

    @Test func `the file of a broker that ran alone follows logs that begin with what it has`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...3)
        let store = room.test.store
        let snapshots = (0..<4).map { ByteBuffer(string: "partition \($0)") }
        let told = NIOLockedValueBox<[UInt64]>([])
        try await store.beginPartitions(of: "chat/a1") { logs in
            try logs.forEach(
                keysSince: 0,
                now: 0,
                retention: { _ in room.retention },
                found: { _, log in told.withLockedValue { $0.append(log.lastSeq) } }
            )
            return snapshots
        }
        #expect(told.withLockedValue(\.self) == [3])
        let found = try await ProjectedNode.open(store, log: "chat/a1")
        #expect(found.place == nil && found.snapshot == snapshots[3])
        #expect(try await room.read().seqs == [1, 2, 3])
        await #expect(throws: EngineError.reset) { try await store.beginPartitions(of: "chat/b2") { _ in snapshots } }
        await #expect(throws: ProjectionError.otherLog("chat/a1")) {
            try await ProjectedNode.open(store, log: "chat/b2")
        }
    }

    @Test func `a log that its channel keeps no more is cleared when partitions begin`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...3)
        try await room.test.store.beginPartitions(of: "chat/a1") { logs in
            try logs.forEach(
                keysSince: 0,
                now: 0,
                retention: { _ in nil },
                found: { _, _ in Issue.record("it is kept") }
            )
            return []
        }
        #expect(try await room.test.write { try Int.fetchOne($0, sql: "SELECT count(*) FROM room") } == 0)
    }

    @Test func `the history of other logs is refused`() async throws {
        var bench = try await HistoryBench()
        try await bench.publish("1")
        let store = bench.test.store
        await #expect(throws: ProjectionError.otherLog("chat/16")) {
            try await ProjectedNode.open(store, log: "chat/32")
        }
        #expect(try await ProjectedNode.open(store).place == bench.place(1))
    }

    // MARK: Writes

    @Test func `a write that was stored is not stored again`() async throws {
        var bench = try await HistoryBench()
        let write = try await bench.gathered("1")
        try await bench.node.store(write)
        try await bench.node.store(write)
        _ = bench.node.projection.written()
        #expect(try await bench.test.storedMessages() == 1)
    }

    @Test func `a write that does not go on where the history ends changes nothing`() async throws {
        var bench = try await HistoryBench()
        let first = try await bench.gathered("1")
        _ = bench.node.projection.written()
        let second = try await bench.gathered("2")
        let node = bench.node
        await #expect(throws: EngineError.reset) { try await node.store(second) }
        #expect(try await bench.test.storedMessages() == 0)
        try await bench.node.store(first)
        try await bench.node.store(second)
        #expect(try await bench.test.storedMessages() == 2)
        #expect(bench.test.log.lines(.critical).count == 1)
    }

    /// Others are in the same transaction.
    @Test func `of a write that is refused halfway nothing stays`() async throws {
        var bench = try await HistoryBench()
        try await bench.publish("1")
        try await bench.publish("1", in: "another")
        try bench.apply(bench.record([("another", "2"), ("room", "2")]))
        let write = try bench.take()
        #expect(write.changes.map(\.room.room.text) == ["another", "room"])
        try await bench.test.write { try $0.execute(sql: "UPDATE room SET last_seq = 7 WHERE name = 'room'") }
        let node = bench.node
        await #expect(throws: EngineError.reset) { try await node.store(write) }
        #expect(try await bench.test.write { try RoomRow.fetch($0, .projected("another"))?.lastSeq } == 1)
        #expect(try await ProjectedNode.open(bench.test.store).place == bench.place(2))
    }

    @Test func `a full disk stops it until there is room again, and nothing is left out`() async throws {
        var bench = try await HistoryBench()
        try await bench.publish("1")
        try await bench.test.write { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let text = String(repeating: "x", count: 20_000)
        for _ in 0..<3 {
            try await bench.publish(text)
            #expect(bench.node.projection.isFailing)
            #expect(bench.node.projection.stored == bench.place(1))
        }
        try await bench.test.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try await bench.node.settle()
        #expect(!bench.node.projection.isFailing)
        #expect(bench.node.projection.stored == bench.place(4))
        let room = try #require(bench.node.partition[HistoryBench.room])
        #expect(try await bench.node.served(room).map(\.seq) == [1, 2, 3, 4])
        #expect(bench.test.log.lines(.error).count == 1)
        #expect(bench.test.log.lines(.notice).count == 1)
    }

    @Test func `a file that is replaced by an empty one is noticed`() async throws {
        var bench = try await HistoryBench()
        try await bench.publish("1")
        let store = bench.test.store
        store.queue.sync { store.supervisor.replace("a test", generation: store.supervisor.generation) }
        try await bench.publish("2")
        #expect(bench.node.projection.isLost)
        let found = try await ProjectedNode.open(store)
        #expect(found == ProjectedPartition(partition: 3, generation: 2, newest: nil, snapshot: nil))
    }

    // MARK: Rooms

    @Test func `what is taken back is overwritten, or never stored`() async throws {
        var bench = try await HistoryBench()
        try await bench.publish("an old secret")
        try bench.apply(bench.record([("room", "a young secret")]))
        for seq in 1...2 as ClosedRange<UInt64> { try bench.apply(bench.redaction(of: seq)) }
        try await bench.node.settle()
        let room = try #require(bench.node.partition[HistoryBench.room])
        #expect(try await bench.node.served(room).map(\.kind) == [.tombstone, .tombstone, .redaction, .redaction])
        let wal = try Data(contentsOf: URL(filePath: bench.test.directory.file("history.sqlite-wal")))
        #expect(wal.range(of: Data("a young secret".utf8)) == nil)
        try await bench.test.checkpoint()
        await bench.test.store.close()
        let file = try Data(contentsOf: URL(filePath: bench.test.directory.file("history.sqlite")))
        #expect(file.range(of: Data("gone".utf8)) != nil)
        #expect(file.range(of: Data("secret".utf8)) == nil)
    }

    @Test func `a room that is cleared is empty in its next epoch, and its rows go`() async throws {
        var bench = try await HistoryBench()
        for text in 1...5 { try await bench.publish("\(text)") }
        let before = try #require(bench.node.partition[HistoryBench.room])
        try bench.apply(bench.record(.clear(ClearCommand(origin: HistoryBench.origin, sender: .make("mod")))))
        try await bench.node.settle()
        let after = try #require(bench.node.partition[HistoryBench.room])
        #expect(try await bench.node.served(after) == [])
        try await bench.publish("6")
        #expect(try await bench.node.served(after).map(\.seq) == [1])
        let node = bench.node
        await #expect(throws: EngineError.reset) { try await node.served(before) }
        await bench.test.store.sweep(now: bench.node.time)
        #expect(try await bench.test.storedMessages() == 1)
    }

    @Test func `an import is the room's history, its parts go on with each other, and what was there is gone`()
        async throws
    {
        var bench = try await HistoryBench()
        try await bench.publish("1")
        try bench.apply(bench.record(.clear(ClearCommand(origin: HistoryBench.origin, sender: .make("mod")))))
        var epochs: Set<Epoch> = []
        for first in [5, 7, 9] as [UInt64] {
            let after =
                first == 5 ? nil : Position(epoch: bench.node.partition[HistoryBench.room]?.epoch, seq: first - 1)
            try bench.apply(.imported(bench.part(first...first + 1, after: after)))
            // the first two in one write
            if first > 5 { try await bench.node.settle() }
            epochs.formUnion(bench.node.partition[HistoryBench.room].map { [$0.epoch] } ?? [])
        }
        #expect(epochs.count == 3)
        try await bench.publish("11")
        let room = try #require(bench.node.partition[HistoryBench.room])
        #expect(try await bench.node.served(room).map(\.seq) == Array(5...11))
        await bench.test.store.sweep(now: bench.node.time)
        #expect(try await bench.test.storedMessages() == 7)
        #expect(try await bench.test.write { try RoomRow.fetch($0, HistoryBench.room)?.epoch } == room.epoch)
    }

    @Test func `what is pruned is not served any more, and the log goes on`() async throws {
        var bench = try await HistoryBench()
        for text in 1...3 { try await bench.publish("\(text)") }
        for text in 4...6 { try bench.apply(bench.record([("room", "\(text)")])) }
        let room = try #require(bench.node.partition[HistoryBench.room])
        // of these some are stored, and some in the same write
        try bench.apply(.pruned(HistoryBench.room, through: Position(epoch: room.epoch, seq: 4)))
        try await bench.node.settle()
        #expect(try await bench.node.served(room).map(\.seq) == [5, 6])
        try await bench.publish("7")
        let after = try #require(bench.node.partition[HistoryBench.room])
        #expect((after.lastSeq, after.epoch, after.prunedThrough) == (7, room.epoch, 4))
        #expect(try await bench.node.served(after).map(\.seq) == [5, 6, 7])
        try bench.apply(.pruned(HistoryBench.room, through: Position(epoch: room.epoch, seq: 7)))
        try await bench.node.settle()
        #expect(try await bench.node.served(after) == [])
        await bench.test.store.sweep(now: bench.node.time + 10_000)
        #expect(try await bench.test.storedMessages() == 0)
        try await bench.publish("8")
        #expect(try await bench.node.served(after).map(\.seq) == [8])
    }

    /// Nobody is in the room to be told.
    @Test func `where history ends nothing stays, and where it begins again it is empty`() async throws {
        var bench = try await HistoryBench()
        for text in 1...5 { try await bench.publish("\(text)") }
        try await bench.set(history: nil, epoch: 7)
        #expect(try await bench.test.rowID("room") == nil)
        try await bench.set(history: 30, epoch: 8)
        let room = try #require(bench.node.partition[HistoryBench.room])
        #expect(try await bench.node.served(room) == [])
        try await bench.publish("6")
        let again = try #require(bench.node.partition[HistoryBench.room])
        #expect(try await bench.node.served(again).map(\.seq) == [1])
    }

    @Test func `the sweep keeps no more than the settings say from now on`() async throws {
        var bench = try await HistoryBench()
        for text in 1...5 { try await bench.publish("\(text)") }
        let epoch = try #require(bench.node.partition[HistoryBench.room]?.epoch)
        try await bench.set(history: 2, epoch: 7)
        #expect(bench.node.partition[HistoryBench.room]?.epoch == epoch)
        #expect(try await bench.test.write { try RoomRow.fetch($0, HistoryBench.room)?.keepCount } == 2)
        await bench.test.store.sweep(now: bench.node.time + 10_000)
        #expect(try await bench.test.storedMessages() == 2)
    }

    @Test func `a log whose row was retired goes on with its next message`() async throws {
        var bench = try await HistoryBench()
        for text in 1...3 { try await bench.publish("\(text)") }
        await bench.test.store.sweep(now: bench.node.time + 3_600_000)
        await bench.test.store.sweep(now: bench.node.time + 3_600_000)
        #expect(try await bench.test.rowID("room") == nil)
        try await bench.publish("4")
        let room = try #require(bench.node.partition[HistoryBench.room])
        #expect(try await bench.node.served(room).map(\.seq) == [4])
    }
}
