import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomCore

/// A partition and the records that it is given, one after the other.
struct PartitionBench {
    var partition: Partition
    private(set) var place = LogOffset.first
    private var numbers: [UInt32: UInt64] = [:]
    private let channel: RoomChannel

    /// - Parameter settings: those that all nodes know.
    init(_ partition: Partition, _ settings: ChannelSettings) {
        self.partition = partition
        self.channel = RoomChannel(settings: settings)
    }

    /// - Parameter time: in milliseconds.
    @discardableResult
    mutating func append(
        _ node: UInt32,
        at time: Int64,
        _ content: PartitionRecord.Content = .tick
    ) -> Partition.Applied {
        defer { self.place = self.place.next }
        self.numbers[node, default: 0] += 1
        let number = self.numbers[node, default: 0]
        var content = content
        if case .commands(var entries) = content {
            for index in entries.indices {
                entries[index].settings = self.channel.roomSettings(of: entries[index].room.room, BrokerLimits())
            }
            content = .commands(entries)
        }
        let record = PartitionRecord(node: NodeNumber(rawValue: node), number: number, content: content)
        return self.partition.apply(record, at: self.place, time: time)
    }

    /// A command of node 1.
    @discardableResult
    mutating func append(_ command: RoomCommand, in room: RoomKey, at time: Int64) -> Partition.Applied {
        self.append(1, at: time, .commands([PartitionRecord.Command(command, in: room)]))
    }

    /// Whether a publish with this number as its key is new to the room.
    mutating func isNew(_ key: UInt64, in room: RoomKey, at time: Int64, from sender: String = "ann") -> Bool {
        let applied = self.append(.publish(.make(from: sender, messageID: key)), in: room, at: time)
        return applied.batches.contains { !$0.batch.entries.isEmpty }
    }

    static func join(_ name: String, _ room: RoomKey, node: UInt32) -> PartitionRecord.Command {
        var join = JoinCommand.make(name)
        join.connection = ConnectionRef(shard: 0, number: 1, node: NodeNumber(rawValue: node))
        return PartitionRecord.Command(.join(join), in: room)
    }
}
