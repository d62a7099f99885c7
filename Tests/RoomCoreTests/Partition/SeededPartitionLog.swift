import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomCore

/// The log of three nodes with clients that come, talk and go, by a seed; some records are repeated or behind a hole, and a node
/// is gone at times, and comes back as another one. The settings of the channel change, and nodes hear of it at different times.
struct SeededPartitionLog {
    private var random: SeededRandom
    private var time: Int64 = 1_763_697_600_000
    private var nodes: [UInt32] = [1, 2, 3]
    private var newestNode: UInt32 = 3
    private var numbers: [UInt32: UInt64] = [:]
    private var connections: UInt64 = 0
    private var members: [String: ConnectionRef] = [:]
    private var last: PartitionRecord?
    private let settings: ChannelSettings
    /// Whether members ask to be shown who is in a room, which the first records did not have.
    private let asksPresence: Bool
    /// The version of the channel that each node knows.
    private var versions: [UInt32: Int64] = [:]

    init(
        seed: UInt64,
        history: Int? = 100,
        age: Duration = .seconds(3_600),
        rooms: Int = 10,
        asksPresence: Bool = false
    ) {
        self.random = SeededRandom(seed: seed)
        self.asksPresence = asksPresence
        self.settings = .make(history: history, age: age).with {
            $0.limits.rooms = rooms
            $0.presence = asksPresence ? .ask : .prefix
        }
    }

    /// Odd versions have all rooms show their members, and every fourth one has the history on or off, the other way round.
    private func settings(of room: RoomKey, _ version: Int64) -> RoomSettings {
        let settings = self.settings.with {
            if version % 2 == 1 { $0.presence = .all }
            if version % 4 == 3 { $0.history = $0.history == nil ? HistorySettings(count: 5, age: .seconds(20)) : nil }
        }
        return RoomChannel(settings: settings, version: version).roomSettings(of: room.room, BrokerLimits())
    }

    mutating func next() -> (bytes: ByteBuffer, time: Int64) {
        // the clocks of the servers differ, so time goes back at times
        self.time += Int64(self.random.below(3_000)) - 200
        if let last, self.random.chance(10) { return (last.encoded, self.time) }
        let index = self.random.below(self.nodes.count)
        let node = self.nodes[index]
        if self.random.chance(4) { self.versions[node] = (self.versions.values.max() ?? 0) + 1 }
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

    private mutating func entry(of node: NodeNumber) -> PartitionRecord.Command {
        let name = ["observable-a", "observable-b", "c", "d", "e"][self.random.below(5)]
        let room = RoomKey.make(name)
        let settings = self.settings(of: room, self.versions[node.rawValue, default: 0])
        return PartitionRecord.Command(self.command(of: node), in: room, settings)
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
            var join = JoinCommand(connection: connection, member: .make(name), clientID: ClientID(name))
            if self.asksPresence, self.random.chance(60) { join.asksPresence = self.random.chance(70) }
            return .join(join)
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
