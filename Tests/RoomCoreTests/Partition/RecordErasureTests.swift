import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// Redacted texts that are erased from a log: what it makes stays the same.
struct RecordErasureTests {
    /// The records of three members who say few different things, and what has come of them, by a seed.
    private struct Talk {
        static let rooms = [RoomKey.make("one"), RoomKey.make("two")]
        static let channel = RoomChannel(settings: .make(history: 1_000))

        struct Message: Equatable {
            var text: String?
            var id: UniqueID
        }

        var random: SeededRandom
        var partition = Partition(limits: BrokerLimits())
        var log: [ByteBuffer] = []
        var messages: [RoomKey: [UInt64: Message]] = [:]
        /// The newest clear of each room.
        var clears: [RoomKey: UniqueID] = [:]
        private var numbers: [UInt32: UInt64] = [:]

        init(seed: UInt64) {
            self.random = SeededRandom(seed: seed)
        }

        mutating func add(_ content: PartitionRecord.Content) throws {
            let node = UInt32(1 + self.random.below(2))
            let number = self.numbers[node, default: 0] + 1
            // behind a hole: a copy that does not count
            let isEarly = self.random.chance(10)
            if !isEarly { self.numbers[node] = number }
            let record = PartitionRecord(
                node: NodeNumber(rawValue: node),
                number: isEarly ? number + 1 : number,
                content: content
            )
            try self.take(record.encoded)
            if self.random.chance(10) { try self.take(record.encoded) }
        }

        private mutating func take(_ bytes: ByteBuffer) throws {
            self.log.append(bytes)
            let place = LogOffset(rawValue: UInt64(self.log.count))
            let record = try PartitionRecord(decoding: bytes)
            let applied = self.partition.apply(record, at: place, time: Int64(place.rawValue) * 10)
            Self.note(applied, in: &self.messages)
            for batch in applied.batches { if let clear = batch.batch.clear { self.clears[batch.room] = clear } }
        }

        static func note(_ applied: Partition.Applied, in messages: inout [RoomKey: [UInt64: Message]]) {
            for batch in applied.batches {
                if batch.batch.clear != nil { messages[batch.room] = [:] }
                for entry in batch.batch.entries where entry.seq > 0 {
                    if case .message(let text) = entry.content {
                        let message = Message(text: String(buffer: text), id: entry.stamp.id)
                        messages[batch.room, default: [:]][entry.seq] = message
                    }
                }
                for tombstone in batch.batch.tombstones { messages[batch.room]?[tombstone.seq]?.text = nil }
            }
        }

        mutating func turn() throws {
            let entries = (0...self.random.below(5)).map { _ in
                let room = Self.rooms[self.random.below(2)]
                let command =
                    self.random.chance(1)
                    ? RoomCommand.clear(
                        ClearCommand(origin: Origin(connection: .make(), callback: 1), sender: .make("mod"))
                    )
                    : self.random.chance(10) ? self.redaction(in: room) : self.publish()
                return PartitionRecord.Command(
                    command,
                    in: room,
                    Self.channel.roomSettings(of: room.room, BrokerLimits())
                )
            }
            try self.add(.commands(entries))
        }

        private mutating func publish() -> RoomCommand {
            let text = ["\"buy this\"", "\"hello\"", "7", "\"\"", "{\"a\":1}"][self.random.below(5)]
            return .publish(
                PublishCommand(
                    origin: Origin(connection: .make(), callback: 1),
                    sender: .make(["ann", "bob", "cid"][self.random.below(3)]),
                    message: ByteBuffer(string: text),
                    messageID: self.random.chance(50) ? .make(UInt64(self.random.below(30))) : nil,
                    isEphemeral: self.random.chance(10)
                )
            )
        }

        private mutating func redaction(in room: RoomKey) -> RoomCommand {
            let standing = (self.messages[room] ?? [:]).filter { $0.value.text != nil }.sorted { $0.key < $1.key }
            guard let (seq, message) = standing.randomElement(using: &self.random), let text = message.text,
                let epoch = self.partition[room]?.epoch
            else { return self.publish() }
            let mark = TextMark(of: ByteBuffer(string: text))
            return .redact(
                RedactCommand(
                    origin: Origin(connection: .make(), callback: 1),
                    sender: .make("mod"),
                    reason: nil,
                    epoch: epoch,
                    newest: .max,
                    tombstone: Tombstone(seq: seq, id: message.id, tail: ByteBuffer(string: "gone"), text: mark)
                )
            )
        }

        /// Erases what the partition says, as a node does.
        mutating func erase() throws {
            for erasure in self.partition.erasures {
                let eraser = self.eraser(of: erasure)
                for index in 0..<self.log.count where index < Int(erasure.place.rawValue) || erasure.text == nil {
                    let place = LogOffset(rawValue: UInt64(index + 1))
                    guard case .erased(let erased) = try eraser.outcome(of: self.log[index], at: place) else {
                        continue
                    }
                    #expect(try eraser.outcome(of: erased, at: place) == (erasure.text == nil ? .absent : .stays))
                    self.log[index] = erased
                }
            }
        }

        private func eraser(of erasure: TextErasure) -> any RecordEraser {
            guard let text = erasure.text else {
                let clears = self.partition.erasures.filter { $0.text == nil }.map { ($0.room, $0.place) }
                return RoomErasure(of: Dictionary(clears) { max($0, $1) }) { _ in nil }
            }
            let messages = (self.messages[erasure.room] ?? [:]).values
            let standing = messages.filter { $0.text.map { TextMark(of: ByteBuffer(string: $0)) } == text }
            return RecordErasure(of: text, in: erasure.room, standing: standing.map(\.id)) { _ in nil }
        }
    }

    @Test(arguments: TestSeeds.of(1...20))
    func `a log without redacted texts makes the same rooms, and no message that stands loses its text`(
        seed: UInt64
    ) throws {
        var talk = Talk(seed: seed)
        for _ in 0..<60 { try talk.turn() }
        let whole = talk.log
        try talk.erase()
        #expect(talk.log != whole, "seed \(seed)")
        var partition = Partition(limits: BrokerLimits())
        var messages: [RoomKey: [UInt64: Talk.Message]] = [:]
        for (index, bytes) in talk.log.enumerated() {
            let (record, place) = (try PartitionRecord(decoding: bytes), LogOffset(rawValue: UInt64(index + 1)))
            Talk.note(partition.apply(record, at: place, time: Int64(place.rawValue) * 10), in: &messages)
        }
        #expect(messages == talk.messages, "seed \(seed)")
        #expect(partition.encoded == talk.partition.encoded, "seed \(seed)")
    }

    // MARK: Which records keep a text

    private static let room = RoomKey.make("room")

    private func record(_ texts: [String], in room: RoomKey = Self.room) -> ByteBuffer {
        let settings = RoomChannel(settings: .make(history: 100)).roomSettings(of: room.room, BrokerLimits())
        let entries = texts.map { text in
            let publish = PublishCommand(
                origin: Origin(connection: .make(), callback: 1),
                sender: .make("ann"),
                message: ByteBuffer(string: text)
            )
            return PartitionRecord.Command(.publish(publish), in: room, settings)
        }
        return PartitionRecord(node: NodeNumber(rawValue: 1), number: 1, content: .commands(entries)).encoded
    }

    private func texts(_ record: ByteBuffer?) throws -> [String]? {
        guard let record, case .commands(let entries) = try PartitionRecord(decoding: record).content else {
            return nil
        }
        return entries.map { entry in
            guard case .publish(let publish) = entry.command else { return "" }
            return String(buffer: publish.message)
        }
    }

    private func bytes(_ outcome: ErasureOutcome) -> ByteBuffer? {
        guard case .erased(let bytes) = outcome else { return nil }
        return bytes
    }

    private func erasure(of text: String, standing: [UniqueID] = []) -> RecordErasure {
        RecordErasure(of: TextMark(of: ByteBuffer(string: text)), in: Self.room, standing: standing) { entry in
            guard entry.tail == ByteBuffer(string: text) else { return nil }
            return LogEntry(.tombstone, seq: entry.seq, id: entry.id, tail: ByteBuffer(string: "gone"))
        }
    }

    @Test(arguments: [("\"ab\"", "\"  \""), ("\"\"", "\"\""), ("12", "\"\""), ("7", "0"), ("[1,2]", "\"   \"")])
    func `the text becomes JSON of the same length that says nothing`(text: String, empty: String) throws {
        let erased = self.bytes(try self.erasure(of: text).outcome(of: self.record(["1", text, "2"]), at: .first))
        #expect(try self.texts(erased) == ["1", empty, "2"])
    }

    @Test func `another room, another text and another kind of record stay as they are`() throws {
        let erasure = self.erasure(of: "\"ab\"")
        #expect(try erasure.outcome(of: self.record(["\"ab\""], in: .make("other")), at: .first) == .absent)
        #expect(try erasure.outcome(of: self.record(["\"ac\"", "\"abc\""]), at: .first) == .absent)
        let tick = PartitionRecord(node: NodeNumber(rawValue: 1), number: 1, content: .tick)
        #expect(try erasure.outcome(of: tick.encoded, at: .first) == .absent)
    }

    @Test func `a record keeps the text as long as one of its messages has it`() throws {
        let bytes = self.record(["\"ab\"", "\"ab\""])
        var partition = Partition(limits: BrokerLimits())
        let place = LogOffset(rawValue: 9)
        let applied = partition.apply(try PartitionRecord(decoding: bytes), at: place, time: 1_000)
        let ids = applied.batches.flatMap(\.batch.entries).map(\.stamp.id)
        try #require(ids.count == 2)
        #expect(try self.erasure(of: "\"ab\"", standing: [ids[1]]).outcome(of: bytes, at: place) == .stays)
        let erased = self.bytes(try self.erasure(of: "\"ab\"").outcome(of: bytes, at: place))
        #expect(try self.texts(erased) == ["\"  \"", "\"  \""])
        // a copy that made nothing
        let copy = self.bytes(try self.erasure(of: "\"ab\"", standing: [ids[1]]).outcome(of: bytes, at: place.next))
        #expect(try self.texts(copy) == ["\"  \"", "\"  \""])
    }

    @Test func `a cleared room leaves no text before its clear, and keeps all behind it`() throws {
        let room = Self.room
        let settings = RoomChannel(settings: .make(history: 100)).roomSettings(of: room.room, BrokerLimits())
        let origin = Origin(connection: .make(), callback: 1)
        let clear = RoomCommand.clear(ClearCommand(origin: origin, sender: .make("mod")))
        func said(_ text: String) -> RoomCommand {
            .publish(PublishCommand(origin: origin, sender: .make("ann"), message: ByteBuffer(string: text)))
        }
        let commands = [said("1"), clear, said("22"), clear, said("333")]
        let content = PartitionRecord.Content.commands(commands.map { .init($0, in: room, settings) })
        let record = PartitionRecord(node: NodeNumber(rawValue: 1), number: 1, content: content).encoded
        let erasure = RoomErasure(of: [room: LogOffset(rawValue: 2), .make("more"): .first]) { _ in nil }
        let erased = self.bytes(try erasure.outcome(of: record, at: LogOffset(rawValue: 2)))
        #expect(try self.texts(erased) == ["0", "", "\"\"", "", "333"])
        let before = self.bytes(try erasure.outcome(of: self.record(["1", "\"ab\""]), at: .first))
        #expect(try self.texts(before) == ["0", "\"  \""])
        // each room by its own clear
        #expect(try erasure.outcome(of: self.record(["1"], in: .make("more")), at: LogOffset(rawValue: 2)) == .absent)
        let behind = LogOffset(rawValue: 3)
        #expect(try erasure.outcome(of: self.record(["1"]), at: behind) == .absent)
        #expect(try erasure.outcome(of: self.record(["1"], in: .make("other")), at: .first) == .absent)
    }

    @Test func `of an import into a cleared room nothing is left but tombstones`() throws {
        let entries = [
            LogEntry(seq: 1, id: .make(1), tail: ByteBuffer(string: "a")),
            LogEntry(.tombstone, seq: 2, id: .make(2), tail: ByteBuffer(string: "b")),
        ]
        let settings = RoomChannel(settings: .make(history: 100)).roomSettings(of: Self.room.room, BrokerLimits())
        let part = ImportRecord(room: Self.room, settings: settings, after: nil, entries: entries)
        let record = PartitionRecord(node: NodeNumber(rawValue: 1), number: 1, content: .imported(part)).encoded
        let erasure = RoomErasure(of: [Self.room: LogOffset(rawValue: 2)]) { entry in
            entry.kind == .message
                ? LogEntry(.tombstone, seq: entry.seq, id: entry.id, tail: ByteBuffer(string: "gone")) : nil
        }
        let erased = try #require(self.bytes(try erasure.outcome(of: record, at: .first)))
        guard case .imported(let left) = try PartitionRecord(decoding: erased).content else {
            Issue.record("it is another record")
            return
        }
        #expect(left.entries.map { String(buffer: $0.tail) } == ["gone", "b"])
        #expect(try erasure.outcome(of: erased, at: .first) == .absent)
    }

    @Test func `of an import only the messages that do not stand lose the text`() throws {
        let entries = (1...3 as ClosedRange<UInt64>).map { seq in
            LogEntry(seq: seq, id: .make(seq), tail: ByteBuffer(string: seq == 2 ? "b" : "a"))
        }
        let settings = RoomChannel(settings: .make(history: 100)).roomSettings(of: Self.room.room, BrokerLimits())
        let part = ImportRecord(room: Self.room, settings: settings, after: nil, entries: entries)
        let record = PartitionRecord(node: NodeNumber(rawValue: 1), number: 1, content: .imported(part))
        let outcome = try self.erasure(of: "a", standing: [.make(3)]).outcome(of: record.encoded, at: .first)
        let erased = try #require(self.bytes(outcome))
        guard case .imported(let left) = try PartitionRecord(decoding: erased).content else {
            Issue.record("it is another record")
            return
        }
        #expect(left.entries.map { String(buffer: $0.tail) } == ["gone", "b", "a"])
        #expect(left.entries.map(\.kind) == [.tombstone, .message, .message])
        #expect(try self.erasure(of: "c").outcome(of: record.encoded, at: .first) == .absent)
        // what it makes of the room is the same
        var (whole, other) = (Partition(limits: BrokerLimits()), Partition(limits: BrokerLimits()))
        _ = whole.apply(record, at: .first, time: 1_000)
        _ = other.apply(try PartitionRecord(decoding: erased), at: .first, time: 1_000)
        #expect(whole.encoded == other.encoded)
    }

    // MARK: What a partition knows of them

    @Test(arguments: TestSeeds.of(1...5))
    func `a partition names each redacted text until a record says that it is erased`(seed: UInt64) throws {
        var talk = Talk(seed: seed)
        for _ in 0..<60 { try talk.turn() }
        let erasures = talk.partition.erasures
        let redacted = talk.messages.values.flatMap(\.values).filter { $0.text == nil }.map(\.id) + talk.clears.values
        #expect(Set(erasures.map(\.id)) == Set(redacted), "seed \(seed)")
        let bytes = talk.partition.encoded
        let read = try Partition(decoding: bytes, limits: BrokerLimits())
        #expect(read.erasures == erasures && read.encoded == bytes)
        let first = try #require(erasures.first).id
        while talk.partition.erasures.contains(where: { $0.id == first }) { try talk.add(.erased(first)) }
        #expect(talk.partition.erasures == erasures.filter { $0.id != first })
        for id in redacted {
            while talk.partition.erasures.contains(where: { $0.id == id }) { try talk.add(.erased(id)) }
        }
        // as a release writes it that knows of no erasures
        #expect(talk.partition.encoded.readableBytesView.first == 1)
    }
}
