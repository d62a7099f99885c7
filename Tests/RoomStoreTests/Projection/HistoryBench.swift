import NIOCore
import RoomCore
import RoomModel
import Testing

@testable import RoomCluster
@testable import RoomStore
@testable import RoomTestKit

/// A node whose records a test makes.
struct HistoryBench {
    static let room = RoomKey.projected("room")
    static let origin = Origin(connection: ConnectionRef(shard: 0, number: 1), callback: 1)

    let test: StoreUnderTest
    let rules = SeededRooms.Rules()
    var node: ProjectedNode
    private(set) var records: [LossyLog.Record] = []

    init() async throws {
        self.test = try StoreUnderTest.make()
        self.node = try await ProjectedNode(self.test, self.rules)
    }

    func place(_ number: UInt64) -> LogOffset { LogOffset(rawValue: number) }

    func record(_ messages: [(room: String, text: String)]) -> PartitionRecord.Content {
        .commands(
            messages.map { message in
                let publish = PublishCommand(
                    origin: Self.origin,
                    sender: .make("ann"),
                    message: ByteBuffer(string: "\"\(message.text)\"")
                )
                let room = RoomKey.projected(message.room)
                return PartitionRecord.Command(.publish(publish), in: room, SeededRooms.Rules.settings(room))
            }
        )
    }

    func record(_ command: RoomCommand) -> PartitionRecord.Content {
        .commands([PartitionRecord.Command(command, in: Self.room, SeededRooms.Rules.settings(Self.room))])
    }

    mutating func redaction(of seq: UInt64) throws -> PartitionRecord.Content {
        let entries = try self.replayed()
        let tombstone = Tombstone(seq: seq, id: entries[Int(seq) - 1].id, tail: ByteBuffer(string: "\"id\":\"gone\"}"))
        return self.record(
            .redact(
                RedactCommand(
                    origin: Self.origin,
                    sender: .make("mod"),
                    reason: nil,
                    epoch: self.node.partition[Self.room]?.epoch ?? Epoch(rawValue: 0),
                    newest: .max,
                    tombstone: tombstone
                )
            )
        )
    }

    /// Messages that are imported into the room.
    func part(_ seqs: ClosedRange<UInt64>, after: Position?) -> ImportRecord {
        let entries = seqs.map { seq in
            let id = UniqueID(milliseconds: 1_763_697_600_000, sequence: UInt16(seq), random: seq)
            return LogEntry(seq: seq, id: id, tail: ByteBuffer(string: #""id":"\#(id)","message":\#(seq)}"#))
        }
        let settings = SeededRooms.Rules.settings(Self.room)
        return ImportRecord(room: Self.room, settings: settings, after: after, entries: entries)
    }

    /// All entries of the room.
    private func replayed() throws -> [LogEntry] {
        var partition = self.rules.partition
        return try self.records.enumerated().flatMap { index, stored in
            let record = try PartitionRecord(decoding: stored.bytes)
            let applied = partition.apply(record, at: self.place(UInt64(index) + 1), time: stored.time)
            return applied.batches.filter { $0.room == Self.room }.flatMap(\.logEntries)
        }
    }

    mutating func apply(_ content: PartitionRecord.Content) throws {
        let number = UInt64(self.records.count) + 1
        let record = PartitionRecord(node: NodeNumber(rawValue: 1), number: number, content: content)
        let stored = LossyLog.Record(time: 1_763_697_600_000 + Int64(number), bytes: record.encoded)
        self.records.append(stored)
        try self.node.apply(stored)
    }

    /// Publishes, and stores it.
    mutating func publish(_ text: String, in room: String = "room") async throws {
        try self.apply(self.record([(room, text)]))
        self.node.pass(milliseconds: 1_100)
        await self.node.store()
    }

    /// Changes how many messages the room keeps, and stores it.
    mutating func set(history: Int?, epoch: UInt64) async throws {
        let version = (self.node.partition[Self.room]?.settings.version ?? 0) + 1
        let settings = SeededRooms.Rules.settings(Self.room, history: history, version: version)
        try self.apply(self.record(.settings(settings, epoch: Epoch(rawValue: epoch))))
        try await self.node.settle()
    }

    /// Publishes, and takes the write.
    mutating func gathered(_ text: String) async throws -> ProjectionWrite {
        try self.apply(self.record([("room", text)]))
        return try self.take()
    }

    mutating func take() throws -> ProjectionWrite {
        self.node.pass(milliseconds: 1_100)
        let write = self.node.projection.take(now: self.node.now)
        return try #require(write)
    }
}
