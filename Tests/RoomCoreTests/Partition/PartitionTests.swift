import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// What records make of the rooms of a partition.
struct PartitionTests {
    private static let grace: Int64 = 30_000

    private static func bench(rooms: Int = 10) -> PartitionBench {
        let channel = ChannelSettings.make(history: 100).with {
            $0.limits.rooms = rooms
            // and five seconds for the node
            $0.grace = .milliseconds(self.grace - 5_000)
        }
        return PartitionBench(Partition(limits: BrokerLimits()), channel)
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
        var log = SeededPartitionLog(seed: seed, history: seed % 2 == 0 ? nil : 100, rooms: 4)
        var partition = Partition(limits: BrokerLimits())
        var (hash, lines): (UInt64, [String]) = (StableHash.seed, [])
        for number in 1...600 as ClosedRange<UInt64> {
            let (bytes, time) = log.next()
            let record = try PartitionRecord(decoding: bytes)
            let applied = partition.apply(record, at: LogOffset(rawValue: number), time: time)
            hash = StableHash.of(Rendering.text(of: applied), from: hash)
            guard number % 20 == 0 else { continue }
            let rooms = partition.roomKeys.sorted { $0.room.text < $1.room.text }.compactMap { partition[$0] }
            let state = rooms.map { "\($0.key.room):\($0.epoch):\($0.lastSeq):\($0.members.count)" }
            lines.append("\(number) \(state.joined(separator: " ")) \(String(hash, radix: 16))")
        }
        return lines
    }

    @Test(arguments: TestSeeds.of(1...20))
    func `each room counts without holes, and its ids ascend`(seed: UInt64) throws {
        var (log, partition) = (SeededPartitionLog(seed: seed), Partition(limits: BrokerLimits()))
        var newest: [RoomKey: (epoch: Epoch, seq: UInt64, id: UniqueID)] = [:]
        var (counted, epochs): (Int, Set<Epoch>) = (0, [])
        for number in 1...400 as ClosedRange<UInt64> {
            let (bytes, time) = log.next()
            let record = try PartitionRecord(decoding: bytes)
            let applied = partition.apply(record, at: LogOffset(rawValue: number), time: time)
            #expect(applied.outcome != .ignored || applied.batches.isEmpty, "seed \(seed)")
            for batch in applied.batches {
                var last = newest[batch.room] ?? (batch.view.epoch, 0, UniqueID(high: 0, low: 0))
                if last.epoch != batch.view.epoch { last = (batch.view.epoch, 0, last.id) }
                for entry in batch.batch.entries {
                    #expect(last.id < entry.stamp.id, "seed \(seed), \(number)")
                    last.id = entry.stamp.id
                    guard entry.seq > 0, case .message = entry.content else { continue }
                    #expect(entry.seq == last.seq + 1, "seed \(seed), \(number)")
                    last.seq = entry.seq
                    counted += 1
                }
                #expect(batch.view.lastSeq == last.seq, "seed \(seed), \(number)")
                newest[batch.room] = last
                epochs.insert(batch.view.epoch)
            }
        }
        #expect(counted > 100 && epochs.count > 4, "seed \(seed)")
    }

    @Test func `a batch shows its room as of itself, whatever the record does to the room behind it`() throws {
        let room = RoomKey.make("room")
        var log = Self.bench()
        let clear = ClearCommand(origin: Origin(connection: .make(), callback: 0), sender: .make("moderator"))
        let commands: [RoomCommand] = [.publish(.make("1")), .publish(.make("2")), .clear(clear), .publish(.make("3"))]
        let entries = commands.map { PartitionRecord.Command($0, in: room) }
        let join = PartitionBench.join("ann", room, node: 1)
        let views = log.append(1, at: 1_000, .commands([join] + entries)).batches.map(\.view)
        try #require(views.count == 2)
        #expect(views.map(\.lastSeq) == [2, 1])
        #expect(views[1] == log.partition[room].map { RoomView($0) })
        #expect(views.allSatisfy { $0.members == 1 && $0.subscribers.total == 1 })
        let since = JoinCommand.make(start: .since(Position(epoch: views[0].epoch, seq: 1)))
        #expect(views[0].grant(since, seq: 2, windowAfter: 2).replay == .store(after: 1))
        #expect(views[1].grant(since, seq: 1, windowAfter: 1).gap == Gap(from: 1, through: 1, reason: .cleared))
    }

    @Test(arguments: [false, true])
    func `a message that was cleared does not come back when it is sent again`(isFromSnapshot: Bool) throws {
        let room = RoomKey.make("room")
        var log = Self.bench()
        let isFirstNew = log.isNew(1, in: room, at: 1_000)
        let clear = ClearCommand(origin: Origin(connection: .make(), callback: 0), sender: .make("moderator"))
        log.append(.clear(clear), in: room, at: 2_000)
        if isFromSnapshot {
            log.partition = try Partition(decoding: log.partition.encoded, limits: BrokerLimits())
        }
        let (isRepeatNew, isOtherNew) = (log.isNew(1, in: room, at: 3_000), log.isNew(2, in: room, at: 3_000))
        #expect(isFirstNew && !isRepeatNew && isOtherNew)
        #expect(log.partition[room]?.lastSeq == 1)
    }

    // MARK: Settings

    /// An entry of a node that knows this version of a channel: its limit of members is the version.
    private static func entry(_ command: RoomCommand, _ room: RoomKey, version: Int) -> PartitionRecord.Command {
        let settings = ChannelSettings.make(history: version == 3 ? nil : 100).with {
            $0.limits.membersPerRoom = version
        }
        let channel = RoomChannel(settings: settings, version: Int64(version))
        return PartitionRecord.Command(command, in: room, channel.roomSettings(of: room.room, BrokerLimits()))
    }

    @Test func `a room has the newest settings that a record has brought`() throws {
        let room = RoomKey.make("room")
        var partition = Partition(limits: BrokerLimits())
        var numbers: [UInt32: UInt64] = [:]
        func apply(_ node: UInt32, _ version: Int, _ text: String) -> Partition.Applied {
            numbers[node, default: 0] += 1
            let entry = Self.entry(.publish(.make(text)), room, version: version)
            let record = PartitionRecord(
                node: NodeNumber(rawValue: node),
                number: numbers[node, default: 0],
                content: .commands([entry])
            )
            return partition.apply(record, at: (partition.accepted.place ?? .first).next, time: 1_000)
        }
        _ = apply(1, 1, "1")
        let first = try #require(partition[room])
        #expect(first.settings.memberLimit == 1)
        _ = apply(2, 2, "2")
        #expect(partition[room]?.settings.memberLimit == 2)
        // node 1 has not heard of it yet
        _ = apply(1, 1, "3")
        #expect(partition[room]?.settings.memberLimit == 2)
        #expect(partition[room]?.epoch == first.epoch)
        #expect(partition[room]?.lastSeq == 3)
        let ended = apply(2, 3, "4")
        let last = try #require(partition[room])
        #expect(last.lastSeq == 1 && last.epoch != first.epoch)
        #expect(ended.logs == [Partition.StoredLog(room: room, epoch: last.epoch, history: nil)])
    }

    // MARK: Members

    @Test func `the members of a node that is gone linger, and leave when no grace is longer`() throws {
        let room = RoomKey.make("observable-room")
        var log = Self.bench()
        let joins = ["ann", "bob"].map { PartitionBench.join($0, room, node: 1) }
        log.append(1, at: 1_000, .commands(joins))
        log.append(2, at: 1_000, .commands([PartitionBench.join("cid", room, node: 2)]))
        #expect(!log.partition.waitsForTime)
        #expect(log.append(2, at: 2_000, .gone(NodeNumber(rawValue: 1))).outcome == .ends(NodeNumber(rawValue: 1)))
        #expect(log.partition.waitsForTime)
        #expect(log.append(1, at: 2_000, .commands([PartitionBench.join("dan", room, node: 1)])).outcome == .ignored)
        #expect(log.partition[room]?.members.count == 3)
        #expect(log.partition[room]?.subscribers.total == 1)
        // bob comes back on the other node
        log.append(2, at: 3_000, .commands([PartitionBench.join("bob", room, node: 2)]))
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
        let linger = PartitionRecord.Command(.linger(ClientID("ann"), connection), in: room)
        var log = Self.bench()
        log.append(1, at: 1_000, .commands([PartitionBench.join("ann", room, node: 1)]))
        log.append(1, at: 2_000, .commands([linger]))
        // she comes back, and lingers anew: the time of the first grace is over, that of the second is not
        log.append(1, at: 10_000, .commands([PartitionBench.join("ann", room, node: 1)]))
        log.append(1, at: 20_000, .commands([linger]))
        log.append(2, at: 34_000)
        #expect(log.partition[room]?.members.count == 1)
        log.append(1, at: 40_000, .commands([PartitionRecord.Command(.graceEnded(ClientID("ann")), in: room)]))
        #expect(log.partition[room]?.members.isEmpty == true)
        #expect(log.append(2, at: 53_000).batches.flatMap(\.batch.entries).isEmpty)
    }

    @Test func `no more rooms get members than the partition has places for`() {
        var log = Self.bench(rooms: 2)
        let rooms = ["a", "b", "c"].map { RoomKey.make($0) }
        log.append(1, at: 1_000, .commands(rooms.map { PartitionBench.join("ann", $0, node: 1) }))
        #expect(rooms.map { log.partition[$0]?.members.count } == [1, 1, 0])
        let connection = ConnectionRef(shard: 0, number: 1, node: NodeNumber(rawValue: 1))
        let leave = PartitionRecord.Command(.leave(ClientID("ann"), connection), in: rooms[0])
        log.append(1, at: 1_001, .commands([leave]))
        log.append(1, at: 1_002, .commands([PartitionBench.join("ann", rooms[2], node: 1)]))
        #expect(rooms.map { log.partition[$0]?.members.count } == [0, 1, 1])
    }
}
