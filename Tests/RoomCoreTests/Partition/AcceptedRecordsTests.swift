import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// Which records count, and what time they make it.
struct AcceptedRecordsTests {
    private static let (one, two) = (NodeNumber(rawValue: 1), NodeNumber(rawValue: 2))

    private var accepted = AcceptedRecords()

    private mutating func take(
        _ node: NodeNumber,
        _ number: UInt64,
        _ content: PartitionRecord.Content = .tick,
        time: Int64 = 1_000
    ) -> AcceptedRecords.Outcome {
        let record = PartitionRecord(node: node, number: number, content: content)
        return self.accepted.take(record, at: self.accepted.place?.next ?? .first, time: time)
    }

    @Test mutating func `a record counts if its number is the next one of its node`() {
        #expect(self.take(Self.one, 1) == .counts)
        #expect(self.take(Self.one, 1) == .ignored)
        #expect(self.take(Self.one, 3) == .ignored)
        #expect(self.take(Self.two, 2) == .ignored)
        #expect(self.take(Self.two, 1) == .counts)
        #expect(self.take(Self.one, 2) == .counts)
        #expect(self.take(Self.one, 3) == .counts)
        #expect(self.accepted.nextNumber(of: Self.one) == 4)
        #expect(self.accepted.place == LogOffset(rawValue: 7))
    }

    @Test mutating func `a record that is ignored moves the place only`() {
        _ = self.take(Self.one, 1)
        let before = self.accepted
        #expect(self.take(Self.one, 1, .gone(Self.two), time: 5_000) == .ignored)
        #expect(self.accepted.time == before.time)
        #expect(self.accepted.nextNumber(of: Self.two) == 1)
        #expect(self.take(Self.two, 1, time: 1_000) == .counts)
    }

    @Test mutating func `nothing of a node counts behind the record that it is gone`() {
        #expect(self.take(Self.one, 1) == .counts)
        #expect(self.take(Self.two, 1, .gone(Self.one)) == .ends(Self.one))
        #expect(self.take(Self.one, 2) == .ignored)
        #expect(self.take(Self.one, 1) == .ignored)
        #expect(self.accepted.nextNumber(of: Self.one) == nil)
        // said again, by whomever: it counts, and changes nothing
        #expect(self.take(Self.two, 2, .gone(Self.one)) == .counts)
        // a node can say it of itself, and of one that was never seen
        let three = NodeNumber(rawValue: 3)
        #expect(self.take(Self.two, 3, .gone(three)) == .ends(three))
        #expect(self.take(three, 1) == .ignored)
        #expect(self.take(Self.two, 4, .gone(Self.two)) == .ends(Self.two))
        #expect(self.take(Self.two, 5) == .ignored)
    }

    // MARK: Time

    @Test func `time never goes back, and what is set ahead moves steady time by 15 s`() {
        var time = PartitionTime()
        let hour: Int64 = 3_600_000
        let steps: [(log: Int64, time: Int64, steady: Int64)] = [
            (hour, hour, hour),
            (hour + 10, hour + 10, hour + 10),
            // a server with a clock that is slow, and goes on evenly
            (hour - 500, hour + 10, hour + 10),
            (hour - 400, hour + 10, hour + 110),
            // one whose clock is an hour ahead
            (2 * hour, 2 * hour, hour + 15_110),
            (2 * hour + 5, 2 * hour + 5, hour + 15_115),
            (hour + 20_000, 2 * hour + 5, hour + 15_115),
            (hour + 20_001, 2 * hour + 5, hour + 15_116),
        ]
        for (number, step) in steps.enumerated() {
            time.advance(to: step.log)
            #expect(time.milliseconds == step.time, "step \(number)")
            #expect(time.steadyMilliseconds == step.steady, "step \(number)")
        }
    }

    @Test(arguments: [(-5, 0), (.min, 0), (.max, 1 << 48 - 1)] as [(Int64, Int64)])
    func `a time that no id can bear is the nearest one that can`(log: Int64, expected: Int64) {
        var time = PartitionTime()
        time.advance(to: log)
        #expect(time.milliseconds == expected)
        #expect(time.steadyMilliseconds == expected)
        time.advance(to: .max)
        #expect(time.milliseconds == 1 << 48 - 1)
    }

    // MARK: Snapshot

    /// Records of five nodes, some of them repeated, skipped or of nodes that are gone.
    private static func records(seed: UInt64) -> [(record: PartitionRecord, time: Int64)] {
        var random = SeededRandom(seed: seed)
        var numbers: [UInt32: UInt64] = [:]
        return (0..<150).map { place in
            let node = UInt32(1 + random.below(5))
            let number = numbers[node, default: 0] + UInt64(random.chance(80) ? 1 : random.below(3))
            numbers[node] = max(number, numbers[node, default: 0])
            let gone = NodeNumber(rawValue: UInt32(1 + random.below(300)))
            let record = PartitionRecord(
                node: NodeNumber(rawValue: node),
                number: max(1, number),
                content: random.chance(5) ? .gone(gone) : .tick
            )
            return (record, Int64(place * 100 + random.below(1_000)))
        }
    }

    @Test(arguments: TestSeeds.of(1...20))
    func `from a snapshot at any place the rest of the log makes the same`(seed: UInt64) throws {
        let records = Self.records(seed: seed)
        var random = SeededRandom(seed: seed &+ 77)
        var (whole, resumed) = (AcceptedRecords(), AcceptedRecords())
        for (index, (record, time)) in records.enumerated() {
            let place = LogOffset(rawValue: UInt64(index + 1))
            if random.chance(20) { resumed = try AcceptedRecords(decoding: resumed.encoded) }
            let outcome = whole.take(record, at: place, time: time)
            #expect(resumed.take(record, at: place, time: time) == outcome, "seed \(seed), \(place)")
            #expect(resumed == whole, "seed \(seed), \(place)")
            #expect(resumed.encoded == whole.encoded, "seed \(seed), \(place)")
        }
        #expect(whole != AcceptedRecords())
    }

    @Test mutating func `the bytes of a snapshot stay as they are`() throws {
        #expect(self.accepted.encoded.hexadecimal == "00000000")
        #expect(self.take(Self.two, 1, .gone(NodeNumber(rawValue: 300))) == .ends(NodeNumber(rawValue: 300)))
        #expect(self.take(Self.two, 2, .gone(NodeNumber(rawValue: 9))) == .ends(NodeNumber(rawValue: 9)))
        #expect(self.take(Self.one, 1, time: 900) == .counts)
        let bytes = "03" + "01" + "e807" + "e807" + "8407" + "02" + "0101" + "0202" + "02" + "09" + "ac02"
        #expect(self.accepted.encoded.hexadecimal == bytes)
        #expect(try AcceptedRecords(decoding: ByteBuffer(hexadecimal: bytes)) == self.accepted)
    }

    /// Whatever is done to the bytes: an error, or a value that these bytes say and no others.
    @Test(arguments: TestSeeds.of(1...20))
    func `damaged bytes are refused or mean what they say`(seed: UInt64) {
        var (accepted, random) = (AcceptedRecords(), SeededRandom(seed: seed &+ 1_000_003))
        for (index, (record, time)) in Self.records(seed: seed).enumerated() {
            _ = accepted.take(record, at: LogOffset(rawValue: UInt64(index + 1)), time: time)
        }
        let whole = Array(accepted.encoded.readableBytesView)
        var refused = 0
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0...random.below(3) where !bytes.isEmpty { RecordCodecTests.damage(&bytes, &random) }
            do {
                let read = try AcceptedRecords(decoding: ByteBuffer(bytes: bytes))
                #expect(Array(read.encoded.readableBytesView) == bytes, "seed \(seed)")
            } catch {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
                refused += 1
            }
        }
        #expect(refused > 20, "seed \(seed)")
    }

    @Test(
        arguments: [
            ("00000202010101", "node, at byte 6: not in ascending order"),
            ("0000010100", "number of a node's record, at byte 5: the first number is 1"),
            ("00000101010101", "gone node, at byte 7: its records count"),
            ("0001050606", "time of the newest record, at byte 5: behind the time of the partition"),
        ]
    )
    func `an error says what is wrong and where`(bytes: String, problem: String) {
        do {
            _ = try AcceptedRecords(decoding: ByteBuffer(hexadecimal: bytes))
            Issue.record("it was read")
        } catch {
            #expect(error.description == "the record cannot be read: " + problem)
        }
    }
}

/// A partition's snapshot has them within; here they are alone.
extension AcceptedRecords {
    fileprivate var encoded: ByteBuffer {
        var writer = RecordWriter()
        self.write(to: &writer)
        return writer.bytes
    }

    fileprivate init(decoding bytes: ByteBuffer) throws(RecordError) {
        var reader = RecordReader(bytes)
        try self.init(from: &reader)
        try reader.end()
    }
}
