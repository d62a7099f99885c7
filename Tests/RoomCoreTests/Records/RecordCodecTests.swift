import Foundation
import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// The bytes of records: exact, strict, and those of an earlier release for ever.
struct RecordCodecTests {
    /// Three records of each kind of command.
    @Test(arguments: SeededRecords.kinds)
    func `the bytes of each command stay as they are`(kind: String) throws {
        var seeded = SeededRecords(seed: UInt64(SeededRecords.kinds.firstIndex(of: kind) ?? 0))
        try Self.expect((0..<3).map { _ in seeded.record(of: [kind]) }, of: kind, in: "record-\(kind)")
    }

    /// The commands that have come to say who asks to be shown the members, or may.
    @Test(arguments: ["join", "settings"])
    func `so do those of a command that is about presence`(kind: String) throws {
        var seeded = SeededRecords(seed: 40, asksPresence: true)
        try Self.expect((0..<8).map { _ in seeded.record(of: [kind]) }, of: kind, in: "record-\(kind)-presence")
    }

    private static func expect(_ records: [RoomRecord], of kind: String, in file: String) throws {
        #expect(records.allSatisfy { $0.commands.allSatisfy { $0.kind == kind } })
        try GoldenFile.expect(records.map { $0.encoded.hexadecimal }, file)
        // what stands in the file is read as it was meant, also by a release that writes something else
        let lines = try GoldenFile.lines(file)
        for (line, record) in zip(lines, records) {
            #expect(try RoomRecord(decoding: ByteBuffer(hexadecimal: line)) == record)
        }
    }

    @Test func `no kind of command is missing in the golden files`() {
        for number in UInt8.min...UInt8.max {
            let isKnown = RoomCommand.Kind(rawValue: number) != nil
            #expect(isKnown == (1...SeededRecords.kinds.count).contains(Int(number)))
        }
    }

    @Test(arguments: TestSeeds.of(1...40))
    func `what is read is what was written, byte for byte`(seed: UInt64) throws {
        var seeded = SeededRecords(seed: seed, asksPresence: seed.isMultiple(of: 2))
        for _ in 0..<25 {
            let record = seeded.record()
            let bytes = record.encoded
            let read = try RoomRecord(decoding: bytes)
            #expect(read == record, "seed \(seed)")
            #expect(read.encoded == bytes, "seed \(seed)")
        }
    }

    /// Whatever is done to the bytes: an error, or a record that these bytes say and no others; and a room bears it.
    @Test(arguments: TestSeeds.of(1...40))
    func `damaged bytes are refused or mean what they say`(seed: UInt64) {
        var (seeded, random) = (
            SeededRecords(seed: seed, asksPresence: seed.isMultiple(of: 2)), SeededRandom(seed: seed &+ 1_000_003)
        )
        var room = Room(
            key: .make(),
            channel: RoomChannel(settings: .make(history: nil)),
            epoch: Epoch(rawValue: 1),
            limits: BrokerLimits()
        )
        var refused = 0
        for _ in 0..<200 {
            var bytes = Array(seeded.record().encoded.readableBytesView)
            for _ in 0...random.below(3) { Self.damage(&bytes, &random) }
            do {
                let record = try RoomRecord(decoding: ByteBuffer(bytes: bytes))
                #expect(Array(record.encoded.readableBytesView) == bytes, "seed \(seed)")
                room.take(record)
            } catch {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
                refused += 1
            }
        }
        #expect(refused > 50, "seed \(seed)")
    }

    static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let place = random.below(bytes.count)
        switch random.below(5) {
        case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1 where !bytes.isEmpty: bytes[place] = [0, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
        case 2: bytes.removeSubrange(place...)
        case 3: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        default: bytes.insert(contentsOf: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], at: place)
        }
    }

    // MARK: What is wrong, and where

    private static let locate = RoomRecord(
        room: .make(),
        turn: .make(1_000),
        commands: [.locate(Origin(connection: .make(3, shard: 1), callback: 2))]
    )

    private static func error(_ change: (inout [UInt8]) -> Void) -> String? {
        var bytes = Array(self.locate.encoded.readableBytesView)
        change(&bytes)
        do {
            _ = try RoomRecord(decoding: ByteBuffer(bytes: bytes))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `an error says what is wrong and where`() {
        let start = "the record cannot be read: "
        let version = "version, at byte 1: unknown version 2 of records; this release reads 1"
        let length = Self.locate.encoded.readableBytes
        #expect(Self.error { $0[0] = 2 } == start + version)
        #expect(Self.error { $0[1] = 4 } == start + "flags of the record, at byte 2: unknown flags 4")
        #expect(Self.error { $0[3] = 0x2f } == start + "channel, at byte 7: no channel id")
        let kind = "kind of a command, at byte \(length - 5): unknown kind 99"
        #expect(Self.error { $0[length - 6] = 99 } == start + kind)
        #expect(Self.error { $0.removeLast() } == start + "callback, at byte \(length - 1): the bytes end within it")
        #expect(Self.error { $0.append(0) } == start + "end, at byte \(length): 1 bytes follow that belong to nothing")
        #expect(
            Self.error { $0.replaceSubrange((length - 1)..., with: [0x84, 0x00]) }
                == start + "callback, at byte \(length + 1): a number with needless bytes"
        )
        #expect(
            Self.error { $0.replaceSubrange((length - 1)..., with: [UInt8](repeating: 0xff, count: 11)) }
                == start + "callback, at byte \(length + 9): a number of more than 64 bits"
        )
    }

    @Test func `a length is not believed before its bytes are there`() {
        var bytes = Array(RoomRecord(room: .make(), turn: .make(), commands: []).encoded.readableBytesView)
        let count = bytes.count - 1
        // 2^62 commands, and a text of 2^62 bytes
        let huge: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]
        bytes.replaceSubrange(count..., with: huge)
        #expect(throws: RecordError.self) { try RoomRecord(decoding: ByteBuffer(bytes: bytes)) }
        bytes.replaceSubrange(count..., with: [1, RoomCommand.Kind.graceEnded.rawValue] + huge)
        #expect(throws: RecordError(part: "client of an end of grace", offset: count + 11, problem: .cutOff)) {
            try RoomRecord(decoding: ByteBuffer(bytes: bytes))
        }
    }

    @Test func `a connection of another node is another one`() {
        let here = ConnectionRef(shard: 1, number: 3)
        let there = ConnectionRef(shard: 1, number: 3, node: NodeNumber(rawValue: 7))
        let later = ConnectionRef(shard: 1, number: 3, node: NodeNumber(rawValue: 8))
        #expect(Set([here, there, later]).count == 3)
        #expect(MemoryLayout<ConnectionRef>.size == 16)
    }
}

extension Room {
    /// Takes what a record has, its log being where it may be.
    mutating func take(_ record: RoomRecord) {
        for command in record.commands { _ = self.enqueue(command) }
        for _ in 0..<100 {
            switch self.advance() {
            case .none: return
            case .open: self.opened(.make(lastSeq: 3))
            case .clear: if self.cleared(epoch: Epoch(rawValue: 2)) { self.opened(.make(epoch: 8)) }
            case .take: if self.takeBatch(record.turn).needsCommit { self.committed(AppendReceipt(oldestSeq: 1)) }
            }
            self.adoptNextSettings()
        }
    }
}

/// Files of `Golden`. `ROOMLINE_GOLDEN=write` writes them anew, to be looked at.
enum GoldenFile {
    private static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).txt")
    }

    static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: self.file(name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    static func expect(_ lines: [String], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if ProcessInfo.processInfo.environment["ROOMLINE_GOLDEN"] == "write" {
            try lines.map { $0 + "\n" }.joined().write(to: self.file(name), atomically: true, encoding: .utf8)
        }
        #expect(try self.lines(name) == lines, sourceLocation: sourceLocation)
    }
}

extension ByteBuffer {
    var hexadecimal: String {
        self.readableBytesView.map { String($0 >> 4, radix: 16) + String($0 & 0xf, radix: 16) }.joined()
    }

    init(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        self.init(bytes: stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
