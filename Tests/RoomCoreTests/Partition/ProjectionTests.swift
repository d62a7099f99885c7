import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// When what records change is stored, and as what.
struct ProjectionTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test func `what comes while changes are gathered is one write, and one is under way`() throws {
        var bench = ProjectionBench()
        #expect(bench.projection.deadline == nil)
        bench.publish("1", at: 1_010)
        bench.publish("2", at: 1_040)
        bench.publish("3", in: "other", at: 1_045)
        #expect(bench.take(at: 1_049) == nil)
        #expect(bench.projection.deadline == 1_050 * Self.millisecond)
        let write = try bench.write(at: 1_050)
        #expect((write.after, write.through.rawValue) == (nil, 3))
        #expect(write.changes.map(\.entries.count) == [2, 1])
        #expect(write.changes.flatMap(\.entries).allSatisfy { $0.key == nil })
        bench.publish("4", at: 1_051)
        #expect(bench.projection.deadline == nil)
        #expect(bench.take(at: 2_000) == nil)
        _ = bench.projection.written()
        #expect(bench.projection.stored?.rawValue == 3)
        let next = try bench.write(at: 2_000)
        #expect((next.after?.rawValue, next.through.rawValue) == (3, 4))
        #expect(next.changes.map { $0.entries.map(\.seq) } == [[3]])
    }

    @Test func `where only the place has changed it is stored a second later`() throws {
        var bench = ProjectionBench()
        bench.tick(at: 1_010)
        bench.tick(at: 1_900)
        #expect(bench.projection.deadline == 2_010 * Self.millisecond)
        bench.publish("1", at: 1_910)
        #expect(bench.projection.deadline == 1_950 * Self.millisecond)
        #expect(bench.take(at: 1_950)?.through.rawValue == 3)
    }

    @Test func `a write of a megabyte is due at once`() {
        var bench = ProjectionBench()
        for _ in 0..<11 { bench.publish(String(repeating: "x", count: 100_000), at: 1_001) }
        #expect(bench.take(at: 1_001) != nil)
    }

    // MARK: What is never stored

    @Test func `a text that is taken back before it is stored is not in the write`() throws {
        var bench = ProjectionBench()
        let entries = bench.publish("\"secret\"", at: 1_001)
        bench.redact(try #require(entries.first), at: 1_002)
        let change = try bench.change(at: 1_050)
        #expect(change.entries.map(\.kind) == [.tombstone, .redaction])
        #expect(change.entries.first?.tail == ByteBuffer(string: "gone"))
        #expect(change.tombstones.isEmpty)
    }

    @Test func `the tombstone of a stored message goes with the write`() throws {
        var bench = ProjectionBench()
        let entries = bench.publish("\"secret\"", at: 1_001)
        _ = bench.take(at: 1_050)
        bench.redact(try #require(entries.first), at: 1_051)
        _ = bench.projection.written()
        let change = try bench.change(at: 1_100)
        #expect(change.entries.map(\.kind) == [.redaction])
        #expect(change.tombstones.map(\.seq) == [1])
    }

    @Test func `of a room that is cleared nothing from before is stored`() throws {
        var bench = ProjectionBench()
        bench.publish("1", at: 1_001)
        let clear = ClearCommand(origin: Origin(connection: .make(), callback: 1), sender: .make("mod"))
        bench.append(.clear(clear), at: 1_002)
        let change = try bench.change(at: 1_050)
        #expect(change.entries.isEmpty)
        #expect(change.epoch == bench.log.partition[.make()]?.epoch)
        #expect(change.history != nil)
    }

    /// Nobody is in the room to be told.
    @Test func `of a room whose history ends nothing is stored any more`() throws {
        var bench = ProjectionBench()
        bench.publish("1", at: 1_001)
        _ = bench.take(at: 1_050)
        _ = bench.projection.written()
        let room = try #require(bench.log.partition[.make()])
        var settings = room.settings
        settings.history?.count = 10
        settings.version = 1
        bench.append(.settings(settings, epoch: Epoch(rawValue: 7)), at: 1_051)
        let kept = try bench.change(at: 1_100)
        #expect((kept.epoch, kept.history?.count) == (room.epoch, 10))
        _ = bench.projection.written()
        settings.history = nil
        settings.version = 2
        bench.append(.settings(settings, epoch: Epoch(rawValue: 7)), at: 1_101)
        let ended = try bench.change(at: 1_150)
        let epoch = try #require(bench.log.partition[.make()]?.epoch)
        #expect((ended.epoch, ended.history) == (epoch, nil))
        #expect(epoch != room.epoch)
    }

    @Test func `what is pruned goes with the write, the newest of it and never more than there is`() throws {
        var bench = ProjectionBench()
        for text in 1...3 { bench.publish("\(text)", at: 1_001) }
        bench.prune(through: 2, at: 1_002)
        bench.prune(through: 1, at: 1_003)
        bench.prune(through: 3, epoch: Epoch(rawValue: 1), at: 1_004)
        let change = try bench.change(at: 1_050)
        #expect((change.entries.map(\.seq), change.prunedThrough) == ([1, 2, 3], 2))
        _ = bench.projection.written()
        bench.prune(through: 99, at: 1_051)
        let later = try bench.change(at: 1_100)
        #expect((later.entries.count, later.prunedThrough) == (0, 3))
        // of a room that begins anew nothing is
        _ = bench.projection.written()
        bench.prune(through: 99, at: 1_101)
        bench.append(
            .clear(ClearCommand(origin: Origin(connection: .make(), callback: 1), sender: .make("mod"))),
            at: 1_102
        )
        bench.publish("4", at: 1_103)
        let next = try bench.change(at: 1_150)
        #expect((next.entries.map(\.seq), next.prunedThrough) == ([1], 0))
    }

    @Test func `parts of an import are one change, which says what log goes on`() throws {
        var bench = ProjectionBench()
        let epochs = bench.importParts([1, 2], at: 1_001)
        let change = try bench.change(at: 1_050)
        #expect((change.entries.map(\.seq), change.epochBefore, change.epoch) == ([1, 2], epochs[0], epochs[1]))
        _ = bench.projection.written()
        let later = bench.importParts([3, 4], at: 1_051)
        let next = try bench.change(at: 1_100)
        #expect((next.entries.map(\.seq), next.epochBefore, next.epoch) == ([3, 4], epochs[1], later[1]))
    }

    @Test func `records that are applied once more change nothing`() throws {
        var bench = ProjectionBench(place: 2)
        bench.publish("1", at: 1_001)
        bench.publish("2", at: 1_001)
        #expect(bench.projection.deadline == nil)
        bench.publish("3", at: 1_001)
        let write = try bench.write(at: 1_050)
        #expect((write.after?.rawValue, write.through.rawValue) == (2, 3))
        #expect(write.changes.first?.entries.map(\.seq) == [3])
    }

    // MARK: The disk does not take it

    @Test func `a write that fails is repeated as it is, and nothing is left out`() throws {
        var bench = ProjectionBench()
        bench.publish("1", at: 1_001)
        let write = try bench.write(at: 1_050)
        bench.publish("2", at: 1_060)
        _ = bench.projection.failed(.unavailable, now: 1_060 * Self.millisecond)
        #expect(bench.projection.isFailing)
        #expect(bench.take(at: 2_059) == nil)
        #expect(bench.projection.deadline == 2_060 * Self.millisecond)
        #expect(bench.take(at: 2_060) == write)
        #expect(bench.projection.isFailing)
        _ = bench.projection.written()
        #expect(!bench.projection.isFailing)
        let next = try bench.write(at: 2_060)
        #expect((next.after?.rawValue, next.through.rawValue) == (1, 2))
    }

    @Test func `it is full until the disk has taken something`() throws {
        var bench = ProjectionBench()
        bench.publish("1", at: 1_001)
        _ = bench.take(at: 1_050)
        var count = 0
        while !bench.projection.isFull {
            bench.publish(String(repeating: "x", count: 100_000), at: 1_060)
            count += 1
        }
        #expect((70...84).contains(count))
        _ = bench.projection.written()
        _ = try bench.write(at: 1_060)
        #expect(bench.projection.isFull)
        _ = bench.projection.written()
        #expect(!bench.projection.isFull)
    }

    @Test func `a history that has lost what it had is at an end`() {
        var bench = ProjectionBench()
        bench.publish("1", at: 1_001)
        _ = bench.take(at: 1_050)
        _ = bench.projection.failed(.reset, now: 1_060 * Self.millisecond)
        bench.publish("2", at: 1_060)
        #expect(bench.projection.isLost && bench.projection.isFailing)
        #expect(bench.projection.deadline == nil)
        #expect(bench.wait(for: 1) == .reset)
    }

    // MARK: Reads

    @Test func `a read waits for its place only, and hurries the write`() throws {
        var bench = ProjectionBench()
        #expect(bench.wait(for: nil) == .now)
        bench.publish("1", at: 1_001)
        #expect(bench.wait(for: 1) == .later)
        #expect(bench.projection.deadline == 1_001 * Self.millisecond)
        _ = try bench.write(at: 1_002)
        bench.publish("2", at: 1_003)
        bench.tick(at: 1_004)
        #expect(bench.wait(for: 3) == .later)
        #expect(bench.projection.written().count == 1)
        #expect(bench.wait(for: 1) == .now)
        _ = try bench.write(at: 1_004)
        #expect(bench.projection.written().count == 1)
        // a tick changes nothing that could be read
        bench.tick(at: 1_005)
        #expect(bench.wait(for: 4) == .now)
    }

    @Test func `while the disk takes nothing reads see what is stored, and fail otherwise`() throws {
        var bench = ProjectionBench()
        bench.publish("1", at: 1_001)
        _ = bench.take(at: 1_050)
        _ = bench.projection.written()
        bench.publish("2", at: 1_060)
        #expect(bench.wait(for: 2) == .later)
        _ = bench.take(at: 1_100)
        #expect(bench.projection.failed(.unavailable, now: 1_100 * Self.millisecond).count == 1)
        #expect(bench.wait(for: 2) == .unavailable)
        #expect(bench.wait(for: 1) == .now)
    }

    // MARK: Snapshots

    @Test func `a snapshot goes with the write after so many bytes, or after ten minutes`() throws {
        var bench = ProjectionBench()
        bench.publish("1", at: 1_001)
        let early = try bench.write(at: 1_050)
        #expect(early.snapshot == nil)
        _ = bench.projection.written()
        bench.publish("2", at: 600_001)
        let write = try bench.write(at: 600_050)
        #expect(write.snapshot == bench.log.partition.encoded)
        _ = bench.projection.written()
        bench.publish("3", at: 600_051, recordBytes: (4 << 20) - 1)
        let small = try bench.write(at: 600_100)
        #expect(small.snapshot == nil)
        _ = bench.projection.written()
        bench.publish("4", at: 600_101, recordBytes: 1)
        let snapshot = bench.log.partition.encoded
        bench.publish("5", at: 600_102)
        // its own place may be before that of the write
        let large = try bench.write(at: 600_150)
        #expect(large.snapshot == snapshot)
    }
}
