import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// Exports that become the history of a room of a partition.
struct ImportRecordTests {
    private static let room = RoomKey.make("room")

    private func entries(_ seqs: ClosedRange<UInt64>, redactions: Set<UInt64> = []) -> [LogEntry] {
        seqs.map { seq in
            let kind = redactions.contains(seq) ? EntryKind.redaction : .message
            return LogEntry(kind, seq: seq, id: .make(seq), tail: ByteBuffer(string: "\(seq)"))
        }
    }

    private func part(
        _ entries: [LogEntry],
        after: Position? = nil,
        history: Int? = 100,
        version: Int64 = 0
    ) -> ImportRecord {
        let settings = ChannelSettings.make(history: history).with { $0.presence = .prefix }
        let channel = RoomChannel(settings: settings, version: version)
        let room = channel.roomSettings(of: Self.room.room, BrokerLimits())
        return ImportRecord(room: Self.room, settings: room, after: after, entries: entries)
    }

    private func bench() -> PartitionBench { PartitionBench(Partition(limits: BrokerLimits()), .make(history: 100)) }

    @Test func `a part becomes the log of an empty room, with a new epoch, and the next goes on with it`() throws {
        var bench = self.bench()
        let first = bench.append(1, at: 1_000, .imported(self.part(self.entries(5...8, redactions: [7]))))
        let epoch = try #require(bench.partition[Self.room]?.epoch)
        #expect(first.imported == .stored(Position(epoch: epoch, seq: 8)))
        #expect(first.batches.map(\.view.epoch) == [epoch])
        #expect(first.importedLog?.epochBefore == nil)
        let place = Position(epoch: epoch, seq: 8)
        let second = bench.append(
            2,
            at: 2_000,
            .imported(self.part(self.entries(9...9, redactions: [9]), after: place))
        )
        let room = try #require(bench.partition[Self.room])
        #expect(second.imported == .stored(Position(epoch: room.epoch, seq: 9)))
        #expect(second.importedLog?.epochBefore == epoch && room.epoch != epoch)
        #expect((room.lastSeq, room.oldestStored, room.redactions.seqs) == (9, 5, [7, 9]))
        // what comes next has a later id than what was imported
        let publish = bench.append(.publish(.make("1")), in: Self.room, at: 0)
        let stamp = try #require(publish.batches.first?.batch.entries.first).stamp
        #expect(stamp.id > UniqueID.make(9))
        #expect(bench.partition[Self.room]?.lastSeq == 10)
        let bytes = bench.partition.encoded
        #expect(try Partition(decoding: bytes, limits: BrokerLimits()).encoded == bytes)
    }

    @Test func `a room that has had messages, and a log that ends elsewhere, take nothing`() throws {
        var bench = self.bench()
        bench.append(.publish(.make("1")), in: Self.room, at: 1_000)
        let epoch = try #require(bench.partition[Self.room]?.epoch)
        #expect(bench.append(1, at: 2_000, .imported(self.part(self.entries(1...2)))).imported == .occupied)
        for (seq, first, epoch) in [(2, 3, epoch), (1, 3, epoch), (1, 2, Epoch(rawValue: 1))]
            as [(UInt64, UInt64, Epoch)]
        {
            let part = self.part(self.entries(first...first), after: Position(epoch: epoch, seq: seq))
            let applied = bench.append(1, at: 3_000, .imported(part))
            #expect(applied.imported == .movedOn && applied.importedLog == nil && applied.batches.isEmpty)
        }
        #expect(bench.partition[Self.room]?.epoch == epoch)
        bench.append(
            .clear(ClearCommand(origin: Origin(connection: .make(), callback: 1), sender: .make("mod"))),
            in: Self.room,
            at: 4_000
        )
        let applied = bench.append(1, at: 5_000, .imported(self.part(self.entries(1...2))))
        #expect(applied.importedLog?.entries.count == 2)
    }

    @Test func `a room that keeps no history takes none, whatever the part says of its settings`() {
        var bench = PartitionBench(Partition(limits: BrokerLimits()), .make(history: nil))
        bench.append(.publish(.make("1", ephemeral: true)), in: Self.room, at: 1_000)
        #expect(bench.append(1, at: 2_000, .imported(self.part(self.entries(1...1)))).imported == .movedOn)
        let newer = self.part(self.entries(1...1), version: 1)
        #expect(bench.append(1, at: 3_000, .imported(newer)).importedLog?.entries.count == 1)
    }

    @Test func `members are told of the other log`() {
        var bench = self.bench()
        bench.append(
            .join(JoinCommand(connection: .make(), member: .make("ann"), clientID: ClientID("ann"))),
            in: Self.room,
            at: 1_000
        )
        let applied = bench.append(1, at: 2_000, .imported(self.part(self.entries(1...3))))
        let answers = applied.batches.flatMap(\.batch.answers).map(\.content)
        #expect(answers == [.logReread(isNewEpoch: true, seq: 3)])
    }

    // MARK: As bytes

    @Test func `the bytes of a part stay as they are, and say one part only`() throws {
        let part = self.part(
            self.entries(300...302, redactions: [301]),
            after: Position(epoch: Epoch(rawValue: 7), seq: 299)
        )
        let records = [part, self.part(self.entries(1...1))].map { part in
            PartitionRecord(node: NodeNumber(rawValue: 7), number: 1, content: .imported(part))
        }
        try GoldenFile.expect(records.map { $0.encoded.hexadecimal }, "record-imported")
        for (line, record) in zip(try GoldenFile.lines("record-imported"), records) {
            #expect(try PartitionRecord(decoding: ByteBuffer(hexadecimal: line)) == record)
        }
    }

    @Test func `no part has more messages than a room can have`() {
        let record = PartitionRecord(
            node: NodeNumber(rawValue: 7),
            number: 1,
            content: .imported(self.part(self.entries(1 << 62...1 << 62)))
        )
        #expect(throws: RecordError.self) { try PartitionRecord(decoding: record.encoded) }
    }

    @Test(arguments: TestSeeds.of(1...6))
    func `damaged bytes are refused or mean what they say`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let part = self.part(self.entries(1...4, redactions: [3]), after: Position(epoch: Epoch(rawValue: 7), seq: 9))
        let whole = PartitionRecord(node: NodeNumber(rawValue: 7), number: 1, content: .imported(part)).encoded
        var refused = 0
        for _ in 0..<300 {
            var bytes = Array(whole.readableBytesView)
            for _ in 0...random.below(3) where !bytes.isEmpty { RecordCodecTests.damage(&bytes, &random) }
            if let record = try? PartitionRecord(decoding: ByteBuffer(bytes: bytes)) {
                #expect(Array(record.encoded.readableBytesView) == bytes, "seed \(seed)")
                var bench = self.bench()
                _ = bench.partition.apply(record, at: .first, time: 1_000)
                let snapshot = bench.partition.encoded
                #expect(
                    (try? Partition(decoding: snapshot, limits: BrokerLimits()))?.encoded == snapshot,
                    "seed \(seed)"
                )
            } else {
                refused += 1
            }
        }
        #expect(refused > 20, "seed \(seed)")
    }
}
