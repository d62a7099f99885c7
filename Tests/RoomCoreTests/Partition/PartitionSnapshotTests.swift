import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// A partition as bytes: what is read back goes on as the one that was written.
struct PartitionSnapshotTests {
    private static func limits(isTight: Bool) -> BrokerLimits {
        var limits = BrokerLimits()
        if isTight { (limits.publishKeysTotal, limits.dormantRooms) = (4_000, 1) }
        return limits
    }

    private static func log(_ seed: UInt64, asksPresence: Bool = true) -> SeededPartitionLog {
        SeededPartitionLog(
            seed: seed,
            history: seed % 2 == 0 ? nil : 100,
            age: .seconds(20),
            rooms: 4,
            asksPresence: asksPresence
        )
    }

    private static func partition(_ seed: UInt64) -> Partition {
        Partition(limits: self.limits(isTight: seed % 3 == 0))
    }

    private static func read(_ bytes: ByteBuffer, _ seed: UInt64) throws -> Partition {
        try Partition(decoding: bytes, limits: self.limits(isTight: seed % 3 == 0))
    }

    @Test(arguments: TestSeeds.of(1...12))
    func `from a snapshot at any place the rest of the log makes the same`(seed: UInt64) throws {
        var (log, random) = (Self.log(seed), SeededRandom(seed: seed &+ 77))
        var (whole, resumed) = (Self.partition(seed), Self.partition(seed))
        for number in 1...400 as ClosedRange<UInt64> {
            let (bytes, time) = log.next()
            let (record, place) = (try PartitionRecord(decoding: bytes), LogOffset(rawValue: number))
            if random.chance(20) { resumed = try Self.read(resumed.encoded, seed) }
            let applied = whole.apply(record, at: place, time: time)
            #expect(resumed.apply(record, at: place, time: time) == applied, "seed \(seed), \(number)")
            #expect(resumed.encoded == whole.encoded, "seed \(seed), \(number)")
            #expect(resumed.keyBytes == whole.keyBytes, "seed \(seed), \(number)")
        }
        #expect(!whole.roomKeys.isEmpty)
    }

    /// Every later release reads them: those without anybody who asks to be shown the members, as the first ones were, and
    /// those with.
    @Test(arguments: [("snapshot-partition", false), ("snapshot-partition-presence", true)])
    func `the bytes of a snapshot stay as they are`(file: String, asksPresence: Bool) throws {
        var lines: [String] = []
        for seed in 1...3 as ClosedRange<UInt64> {
            var (log, partition) = (Self.log(seed, asksPresence: asksPresence), Self.partition(seed))
            for number in 1...60 as ClosedRange<UInt64> {
                let (bytes, time) = log.next()
                let record = try PartitionRecord(decoding: bytes)
                _ = partition.apply(record, at: LogOffset(rawValue: number), time: time)
            }
            lines.append(partition.encoded.hexadecimal)
        }
        try GoldenFile.expect(lines, file)
        for (index, line) in try GoldenFile.lines(file).enumerated() {
            let bytes = ByteBuffer(hexadecimal: line)
            #expect(try Self.read(bytes, UInt64(index + 1)).encoded == bytes)
        }
    }

    /// Whatever is done to the bytes: an error, or a value that these bytes say and no others.
    @Test(arguments: TestSeeds.of(1...6))
    func `damaged bytes are refused or mean what they say`(seed: UInt64) throws {
        var (log, random) = (Self.log(seed), SeededRandom(seed: seed &+ 1_000_003))
        var partition = Self.partition(seed)
        for number in 1...100 as ClosedRange<UInt64> {
            let (bytes, time) = log.next()
            _ = partition.apply(try PartitionRecord(decoding: bytes), at: LogOffset(rawValue: number), time: time)
        }
        let whole = Array(partition.encoded.readableBytesView)
        var refused = 0
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0...random.below(3) where !bytes.isEmpty { RecordCodecTests.damage(&bytes, &random) }
            do {
                let read = try Self.read(ByteBuffer(bytes: bytes), seed)
                #expect(Array(read.encoded.readableBytesView) == bytes, "seed \(seed)")
            } catch let error as RecordError {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
                refused += 1
            }
        }
        #expect(refused > 20, "seed \(seed)")
    }

    @Test(
        arguments: [
            ("03", "version, at byte 1: unknown version 3 of a partition's snapshots; this release reads 1 and 2"),
            ("010000000000000100", "whole room, at byte 9: no room 0"),
            ("01000000000000000001", "room of a member that lingers, at byte 10: the bytes end within it"),
            ("0100000000000000000000", "end, at byte 10: 1 bytes follow that belong to nothing"),
        ]
    )
    func `an error says what is wrong and where`(bytes: String, problem: String) {
        do {
            _ = try Self.read(ByteBuffer(hexadecimal: bytes), 1)
            Issue.record("it was read")
        } catch {
            #expect("\(error)" == "the record cannot be read: " + problem)
        }
    }
}
