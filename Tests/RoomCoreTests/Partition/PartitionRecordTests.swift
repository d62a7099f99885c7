import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// The bytes of a partition's records: exact, strict, and those of an earlier release for ever.
struct PartitionRecordTests {
    private static let tick = PartitionRecord(node: NodeNumber(rawValue: 7), number: 1, content: .tick)

    /// Commands of some rooms, mixed.
    private static func commands(seed: UInt64) -> PartitionRecord {
        var (seeded, random) = (SeededRecords(seed: seed), SeededRandom(seed: seed &+ 1))
        let records = (0..<4).map { _ in seeded.record() }
        let settings = (0..<2).map { _ in seeded.settings() }
        var entries = records.flatMap { record in
            record.commands.map {
                PartitionRecord.Command($0, in: record.room, settings[record.room.room.text.utf8.count % 2])
            }
        }
        for place in entries.indices { entries.swapAt(place, random.below(entries.count)) }
        return PartitionRecord(
            attempt: UInt8(random.below(256)),
            node: NodeNumber(rawValue: UInt32(random.below(1_000))),
            number: 1 + UInt64(random.below(1_000_000)),
            content: .commands(entries)
        )
    }

    @Test func `the bytes of ticks and of dead nodes stay as they are`() throws {
        let gone = PartitionRecord(
            attempt: 2,
            node: NodeNumber(rawValue: 300),
            number: 3,
            content: .gone(NodeNumber(rawValue: 9))
        )
        #expect(Self.tick.encoded.hexadecimal == "0100070102")
        #expect(gone.encoded.hexadecimal == "0102ac02030309")
        #expect(try PartitionRecord(decoding: Self.tick.encoded) == Self.tick)
        #expect(try PartitionRecord(decoding: gone.encoded) == gone)
    }

    @Test func `the bytes of what tells of erased texts and pruned messages stay as they are`() throws {
        let erased = PartitionRecord(node: NodeNumber(rawValue: 7), number: 1, content: .erased(.make(5)))
        let (origin, text) = (Origin(connection: .make(), callback: 1), ByteBuffer(string: "\"buy this\""))
        var publish = PublishCommand(origin: origin, sender: .make("ann"), message: ByteBuffer(string: "\"  \""))
        publish.erasedText = TextMark(of: text).hash
        let redact = RedactCommand(
            origin: origin,
            sender: .make("mod"),
            reason: nil,
            epoch: Epoch(rawValue: 9),
            newest: 4,
            tombstone: Tombstone(seq: 3, id: .make(3), tail: ByteBuffer(string: "gone"), text: TextMark(of: text))
        )
        let channel = RoomChannel(settings: ChannelSettings.make(history: 100).with { $0.presence = .prefix })
        let settings = channel.roomSettings(of: RoomName("room"), BrokerLimits())
        let commands = [RoomCommand.publish(publish), .redact(redact)].map { command in
            PartitionRecord(
                node: NodeNumber(rawValue: 7),
                number: 2,
                content: .commands([.init(command, in: .make("room"), settings)])
            )
        }
        let pruned = PartitionRecord(
            node: NodeNumber(rawValue: 7),
            number: 3,
            content: .pruned(.make("room"), through: Position(epoch: Epoch(rawValue: 9), seq: 300))
        )
        let records = [erased] + commands + [pruned]
        try GoldenFile.expect(records.map { $0.encoded.hexadecimal }, "record-erasure")
        for (line, record) in zip(try GoldenFile.lines("record-erasure"), records) {
            #expect(try PartitionRecord(decoding: ByteBuffer(hexadecimal: line)) == record)
        }
    }

    @Test func `the bytes of commands stay as they are`() throws {
        let records = (1...4).map { Self.commands(seed: $0) }
        try GoldenFile.expect(records.map { $0.encoded.hexadecimal }, "record-partition")
        for (line, record) in zip(try GoldenFile.lines("record-partition"), records) {
            #expect(try PartitionRecord(decoding: ByteBuffer(hexadecimal: line)) == record)
        }
    }

    @Test(arguments: TestSeeds.of(1...40))
    func `what is read is what was written, byte for byte`(seed: UInt64) throws {
        let record = Self.commands(seed: seed)
        let read = try PartitionRecord(decoding: record.encoded)
        #expect(read == record, "seed \(seed)")
        #expect(read.encoded == record.encoded, "seed \(seed)")
    }

    @Test func `a repeat differs in one byte`() {
        let record = Self.commands(seed: 1)
        var (again, bytes) = (record, record.encoded)
        again.attempt = record.attempt &+ 1
        bytes.setInteger(again.attempt, at: PartitionRecord.attemptOffset)
        #expect(again.encoded == bytes)
    }

    /// Whatever is done to the bytes: an error, or a record that these bytes say and no others.
    @Test(arguments: TestSeeds.of(1...40))
    func `damaged bytes are refused or mean what they say`(seed: UInt64) {
        var random = SeededRandom(seed: seed &+ 1_000_003)
        let whole = Array(Self.commands(seed: seed).encoded.readableBytesView)
        var refused = 0
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0...random.below(3) { RecordCodecTests.damage(&bytes, &random) }
            do {
                let record = try PartitionRecord(decoding: ByteBuffer(bytes: bytes))
                #expect(Array(record.encoded.readableBytesView) == bytes, "seed \(seed)")
            } catch {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
                refused += 1
            }
        }
        #expect(refused > 20, "seed \(seed)")
    }

    // MARK: What is wrong, and where

    private static func error(_ hexadecimal: String) -> String? {
        do {
            _ = try PartitionRecord(decoding: ByteBuffer(hexadecimal: hexadecimal))
            return nil
        } catch {
            return error.description
        }
    }

    /// Of rooms `a` and `b` of the channel `c`; the commands end the grace of the client `x`.
    @Test func `an error says what is wrong and where`() {
        let (start, end) = ("the record cannot be read: ", "05" + "0178")
        // none of it limits anything
        let settings = "00" + "00" + "00" + "00" + "00" + "00" + "00"
        let head = "0100070101" + "01" + settings
        let rooms = head + "02" + "0163" + "0161" + "00" + "0163" + "0162" + "00"
        #expect(Self.error(rooms + "02" + "00" + end + "01" + end) == nil)
        #expect(Self.error("0200070102")?.hasPrefix(start + "version, at byte 1: unknown version 2") == true)
        #expect(Self.error("0100070002") == start + "number of the record, at byte 4: the first number is 1")
        #expect(Self.error("0100070107") == start + "kind of the record, at byte 5: unknown kind 7")
        #expect(Self.error("010007010200") == start + "end, at byte 5: 1 bytes follow that belong to nothing")
        #expect(Self.error(rooms + "01" + "02" + end) == start + "room of a command, at byte 26: no room 2")
        #expect(Self.error(rooms + "01" + "01" + end) == start + "room of a command, at byte 26: room 1 before room 0")
        #expect(Self.error(rooms + "01" + "00" + end) == start + "rooms, at byte 29: a room without a command")
        let twice = head + "02" + "0163" + "0161" + "00" + "0163" + "0161" + "00"
        #expect(Self.error(twice) == start + "room, at byte 23: the same room twice")
        #expect(
            Self.error("0100070101" + "02" + settings + settings) == start + "settings, at byte 20: the same twice"
        )
        let other = head + "01" + "0163" + "0161" + "01"
        #expect(
            Self.error(other) == start + "settings of a room, at byte 19: no settings 1, or before settings 0"
        )
        #expect(Self.error(head + "00" + "00") == start + "settings, at byte 14: of no room")
    }
}
