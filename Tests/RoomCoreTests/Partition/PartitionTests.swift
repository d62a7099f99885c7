import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// What records make of the rooms of a partition.
struct PartitionTests {
    private static let grace: Int64 = 30_000

    private static func partition(history: Int? = 100, rooms: Int = 10) -> Partition {
        let channel = RoomChannel(settings: .make(history: history).with { $0.limits.rooms = rooms })
        return Partition(limits: BrokerLimits(), longestGrace: self.grace) { key in
            channel.roomSettings(of: key.room, BrokerLimits())
        }
    }

    // MARK: All nodes alike

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the same log makes the same rooms in another process`(seed: UInt64) throws {
        let lines = try Self.outcomes(seed)
        #expect(try Self.outcomes(seed) == lines)
        try GoldenFile.expect(lines, "run-partition-\(seed)")
    }

    /// What came of each 20 records, and of all before them.
    private static func outcomes(_ seed: UInt64) throws -> [String] {
        var log = SeededPartitionLog(seed: seed)
        var partition = self.partition(history: seed % 2 == 0 ? nil : 100, rooms: 4)
        var (hash, lines): (UInt64, [String]) = (StableHash.seed, [])
        for number in 1...600 as ClosedRange<UInt64> {
            let (bytes, time) = log.next()
            let record = try PartitionRecord(decoding: bytes)
            let applied = partition.apply(record, at: LogPlace(rawValue: number), time: time)
            hash = StableHash.of(Rendering.text(of: applied), from: hash)
            guard number % 20 == 0 else { continue }
            let rooms = partition.keys.sorted { $0.room.text < $1.room.text }.compactMap { partition[$0] }
            let state = rooms.map { "\($0.key.room):\($0.epoch):\($0.lastSeq):\($0.members.count)" }
            lines.append("\(number) \(state.joined(separator: " ")) \(String(hash, radix: 16))")
        }
        return lines
    }

    @Test(arguments: TestSeeds.of(1...20))
    func `each room counts without holes, and its ids ascend`(seed: UInt64) throws {
        var (log, partition) = (SeededPartitionLog(seed: seed), Self.partition())
        var newest: [RoomKey: (epoch: Epoch, seq: UInt64, id: UniqueID)] = [:]
        var (counted, epochs): (Int, Set<Epoch>) = (0, [])
        for number in 1...400 as ClosedRange<UInt64> {
            let (bytes, time) = log.next()
            let record = try PartitionRecord(decoding: bytes)
            let applied = partition.apply(record, at: LogPlace(rawValue: number), time: time)
            #expect(applied.outcome != .ignored || applied.batches.isEmpty, "seed \(seed)")
            for batch in applied.batches {
                var last = newest[batch.room] ?? (batch.epoch, 0, UniqueID(high: 0, low: 0))
                if last.epoch != batch.epoch { last = (batch.epoch, 0, last.id) }
                for entry in batch.batch.entries {
                    #expect(last.id < entry.stamp.id, "seed \(seed), \(number)")
                    last.id = entry.stamp.id
                    guard entry.seq > 0, case .message = entry.content else { continue }
                    #expect(entry.seq == last.seq + 1, "seed \(seed), \(number)")
                    last.seq = entry.seq
                    counted += 1
                }
                newest[batch.room] = last
                epochs.insert(batch.epoch)
            }
        }
        #expect(counted > 100 && epochs.count > 4, "seed \(seed)")
    }

    // MARK: Members

    private struct Log {
        var partition: Partition
        private var place = LogPlace.first
        private var numbers: [UInt32: UInt64] = [:]

        init(_ partition: Partition) {
            self.partition = partition
        }

        @discardableResult
        mutating func append(
            _ node: UInt32,
            at time: Int64,
            _ content: PartitionRecord.Content = .tick
        ) -> Partition.Applied {
            defer { self.place = self.place.next }
            self.numbers[node, default: 0] += 1
            let number = self.numbers[node, default: 0]
            let record = PartitionRecord(node: NodeNumber(rawValue: node), number: number, content: content)
            return self.partition.apply(record, at: self.place, time: time)
        }
    }

    private static func join(_ name: String, _ room: RoomKey, node: UInt32) -> PartitionRecord.RoomEntry {
        var join = JoinCommand.make(name)
        join.connection = ConnectionRef(shard: 0, number: 1, node: NodeNumber(rawValue: node))
        return PartitionRecord.RoomEntry(.join(join), in: room)
    }

    @Test func `the members of a node that is gone linger, and leave when no grace is longer`() throws {
        let room = RoomKey.make("observable-room")
        var log = Log(Self.partition())
        log.append(1, at: 1_000, .commands([Self.join("ann", room, node: 1), Self.join("bob", room, node: 1)]))
        log.append(2, at: 1_000, .commands([Self.join("cid", room, node: 2)]))
        #expect(!log.partition.waitsForTime)
        #expect(log.append(2, at: 2_000, .gone(NodeNumber(rawValue: 1))).outcome == .ends(NodeNumber(rawValue: 1)))
        #expect(log.partition.waitsForTime)
        #expect(log.append(1, at: 2_000, .commands([Self.join("dan", room, node: 1)])).outcome == .ignored)
        #expect(log.partition[room]?.members.count == 3)
        #expect(log.partition[room]?.subscribers.total == 1)
        // bob comes back on the other node
        log.append(2, at: 3_000, .commands([Self.join("bob", room, node: 2)]))
        for time in stride(from: 12_000, through: 32_000, by: 10_000) as StrideThrough<Int64> {
            let isOver = time >= 2_000 + Self.grace
            let applied = log.append(2, at: time)
            let left = applied.batches.flatMap(\.batch.entries).compactMap { entry -> ClientID? in
                guard case .presence(.leave, let sender) = entry.content else { return nil }
                return sender.clientID
            }
            #expect(left == (isOver ? [ClientID("ann")] : []))
        }
        #expect(log.partition[room]?.members.count == 2)
        #expect(!log.partition.waitsForTime)
    }

    @Test func `a grace that its own node ends is not ended again`() throws {
        let room = RoomKey.make("observable-room")
        let connection = ConnectionRef(shard: 0, number: 1, node: NodeNumber(rawValue: 1))
        let linger = PartitionRecord.RoomEntry(.linger(ClientID("ann"), connection), in: room)
        var log = Log(Self.partition())
        log.append(1, at: 1_000, .commands([Self.join("ann", room, node: 1)]))
        log.append(1, at: 2_000, .commands([linger]))
        // she comes back, and lingers anew: the time of the first grace is over, that of the second is not
        log.append(1, at: 10_000, .commands([Self.join("ann", room, node: 1)]))
        log.append(1, at: 20_000, .commands([linger]))
        log.append(2, at: 34_000)
        #expect(log.partition[room]?.members.count == 1)
        log.append(1, at: 40_000, .commands([PartitionRecord.RoomEntry(.graceEnded(ClientID("ann")), in: room)]))
        #expect(log.partition[room]?.members.isEmpty == true)
        #expect(log.append(2, at: 53_000).batches.flatMap(\.batch.entries).isEmpty)
    }

    @Test func `no more rooms get members than the partition has places for`() {
        var log = Log(Self.partition(rooms: 2))
        let rooms = ["a", "b", "c"].map { RoomKey.make($0) }
        log.append(1, at: 1_000, .commands(rooms.map { Self.join("ann", $0, node: 1) }))
        #expect(rooms.map { log.partition[$0]?.members.count } == [1, 1, 0])
        let connection = ConnectionRef(shard: 0, number: 1, node: NodeNumber(rawValue: 1))
        let leave = PartitionRecord.RoomEntry(.leave(ClientID("ann"), connection), in: rooms[0])
        log.append(1, at: 1_001, .commands([leave]))
        log.append(1, at: 1_002, .commands([Self.join("ann", rooms[2], node: 1)]))
        #expect(rooms.map { log.partition[$0]?.members.count } == [0, 1, 1])
    }
}

/// The log of three nodes with clients that come, talk and go, by a seed; some records are repeated or behind a hole, and a node
/// is gone at times, and comes back as another one.
private struct SeededPartitionLog {
    private var random: SeededRandom
    private var time: Int64 = 1_763_697_600_000
    private var nodes: [UInt32] = [1, 2, 3]
    private var newestNode: UInt32 = 3
    private var numbers: [UInt32: UInt64] = [:]
    private var connections: UInt64 = 0
    private var members: [String: ConnectionRef] = [:]
    private var last: PartitionRecord?

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
    }

    mutating func next() -> (bytes: ByteBuffer, time: Int64) {
        // the clocks of the servers differ, so time goes back at times
        self.time += Int64(self.random.below(3_000)) - 200
        if let last, self.random.chance(10) { return (last.encoded, self.time) }
        let index = self.random.below(self.nodes.count)
        let node = self.nodes[index]
        let number = self.numbers[node, default: 0] + 1
        let hasHole = self.random.chance(5)
        if !hasHole { self.numbers[node] = number }
        let record = PartitionRecord(
            node: NodeNumber(rawValue: node),
            number: number + (hasHole ? 1 : 0),
            content: self.content(isSeen: !hasHole, from: index)
        )
        self.last = record
        return (record.encoded, self.time)
    }

    private mutating func content(isSeen: Bool, from index: Int) -> PartitionRecord.Content {
        switch self.random.below(20) {
        case 0, 1: return .tick
        case 2 where isSeen:
            let other = (index + 1) % self.nodes.count
            defer {
                self.newestNode += 1
                self.nodes[other] = self.newestNode
            }
            return .gone(NodeNumber(rawValue: self.nodes[other]))
        default:
            let node = NodeNumber(rawValue: self.nodes[index])
            return .commands((0...self.random.below(6)).map { _ in self.entry(of: node) })
        }
    }

    private mutating func entry(of node: NodeNumber) -> PartitionRecord.RoomEntry {
        let name = ["observable-a", "observable-b", "c", "d", "e"][self.random.below(5)]
        let room = RoomKey.make(name)
        return PartitionRecord.RoomEntry(self.command(of: node), in: room)
    }

    private mutating func command(of node: NodeNumber) -> RoomCommand {
        let name = ["ann", "bob", "cid", "dan", "eve", "fay"][self.random.below(6)]
        let connection = self.members[name] ?? .make(0)
        let origin = Origin(connection: connection, callback: 1)
        switch self.random.below(20) {
        case 0..<5:
            self.connections += 1
            let connection = ConnectionRef(shard: self.random.below(2), number: self.connections, node: node)
            self.members[name] = connection
            return .join(JoinCommand(connection: connection, member: .make(name), clientID: ClientID(name)))
        case 5: return .leave(ClientID(name), connection)
        case 6, 7: return .linger(ClientID(name), connection)
        case 8: return .graceEnded(ClientID(name))
        case 9: return .update(.make(name, data: "\(self.random.below(3))"))
        case 10:
            var rules = RoomRules()
            rules.slowMode = self.random.chance(50) ? 1 + self.random.below(5) : nil
            return .rules(rules)
        case 11 where self.random.chance(30): return .clear(ClearCommand(origin: origin, sender: .make("mod")))
        default:
            return .publish(
                PublishCommand(
                    origin: origin,
                    sender: .make(name),
                    message: ByteBuffer(string: "\(self.random.below(4))"),
                    messageID: self.random.chance(30) ? .make(UInt64(self.random.below(50))) : nil,
                    isEphemeral: self.random.chance(20),
                    author: .client(ClientID(name))
                )
            )
        }
    }
}
