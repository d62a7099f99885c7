import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomCore

/// The log of two nodes whose clients publish, redact, clear, join and leave in some rooms, of which the settings change, by a
/// seed: it loses, repeats and delays what they append.
struct SeededRooms {
    /// What all nodes agree on.
    struct Rules: Sendable {
        var limits: BrokerLimits {
            var limits = BrokerLimits()
            limits.dormantRooms = 2
            return limits
        }

        static func settings(_ room: RoomKey, history: Int? = 30, version: Int64 = 0) -> RoomSettings {
            RoomSettings(
                version: version,
                history: history.map { HistorySettings(count: $0, age: .seconds(20)) },
                presence: room.room.isObservable ? .shown : .hidden,
                showsAuthData: false,
                membersListed: 100,
                memberListBytes: 10_000,
                memberLimit: nil,
                roomLimit: 100,
                publishKeys: 1_000,
                longestGrace: 30_000
            )
        }

        var partition: Partition { Partition(limits: self.limits) }

        func partition(from snapshot: ByteBuffer) throws -> Partition {
            try Partition(decoding: snapshot, limits: self.limits)
        }
    }

    let rules = Rules()
    private var random: SeededRandom
    private var log: LossyLog
    private var senders = [1, 2].map { RecordSender(node: NodeNumber(rawValue: $0)) }
    private var partition: Partition
    private var model = HistoryModel()
    private var now: UInt64 = 0
    private var texts = 0
    /// The newest one of any room's settings.
    private var version: Int64 = 0

    private static let rooms = ["observable-a", "b", "c", "d", "e"].map { RoomKey.projected($0) }

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
        self.log = LossyLog(seed: self.random.next())
        self.partition = self.rules.partition
    }

    /// The log after so many steps.
    mutating func records(steps: Int) throws -> [LossyLog.Record] {
        for _ in 0..<steps { try self.step() }
        return self.log.records
    }

    private mutating func step() throws {
        self.now += UInt64(1 + self.random.below(self.random.chance(10) ? 2_000 : 100)) * 1_000_000
        for index in self.senders.indices {
            for _ in 0..<self.random.below(5) {
                let room = Self.rooms[self.random.below(Self.rooms.count)]
                let settings = Rules.settings(room)
                let entry = PartitionRecord.Command(self.command(in: room, of: index), in: room, settings)
                _ = self.senders[index].add(entry, now: self.now)
            }
            self.perform(self.senders[index].timePassed(now: self.now))
        }
        self.log.store(at: self.now)
        while let place = self.nextPlace { try self.follow(place) }
    }

    private var nextPlace: LogOffset? {
        let place = self.partition.accepted.place?.next ?? .first
        return place.rawValue <= UInt64(self.log.records.count) ? place : nil
    }

    private mutating func follow(_ place: LogOffset) throws {
        let stored = self.log.records[Int(place.rawValue) - 1]
        let record = try PartitionRecord(decoding: stored.bytes)
        let applied = self.partition.apply(record, at: place, time: stored.time)
        self.model.apply(applied)
        let seen = self.senders[Int(record.node.rawValue) - 1].recordSeen(
            number: record.number,
            attempt: record.attempt,
            counts: applied.outcome != .ignored,
            now: self.now
        )
        self.perform(seen.actions)
    }

    private mutating func perform(_ actions: [RecordSender.Action]) {
        for case .append(let bytes) in actions { self.log.append(bytes, at: self.now) }
    }

    private mutating func command(in room: RoomKey, of index: Int) -> RoomCommand {
        let node = NodeNumber(rawValue: UInt32(index + 1))
        let origin = Origin(connection: ConnectionRef(shard: 0, number: 1, node: node), callback: 1)
        switch self.random.below(60) {
        case 0..<5: return .join(.make("ann"))
        case 5..<10: return .leave(ClientID("ann"), .make())
        case 10..<16:
            guard let message = self.model.rooms[room]?.entries.randomElement(using: &self.random) else { break }
            let tombstone = Tombstone(
                seq: message.seq,
                id: message.id,
                tail: ByteBuffer(string: "\"id\":\"\(message.id)\",\"message\":null}")
            )
            return .redact(
                RedactCommand(
                    origin: origin,
                    sender: .make("mod"),
                    reason: nil,
                    epoch: self.model.rooms[room]?.epoch ?? Epoch(rawValue: 0),
                    newest: .max,
                    tombstone: tombstone
                )
            )
        case 16: return .clear(ClearCommand(origin: origin, sender: .make("mod")))
        case 17, 18:
            self.version += 1
            let settings = Rules.settings(room, history: self.random.chance(60) ? 30 : nil, version: self.version)
            return .settings(settings, epoch: Epoch(rawValue: self.random.next()))
        default: break
        }
        self.texts += 1
        return .publish(
            PublishCommand(
                origin: origin,
                sender: .make("ann"),
                message: ByteBuffer(string: "\"text \(self.texts).\""),
                messageID: self.random.chance(50) ? UniqueID(high: 7, low: UInt64(self.texts)) : nil,
                isEphemeral: self.random.chance(20)
            )
        )
    }
}

extension RoomKey {
    static func projected(_ room: String) -> RoomKey { RoomKey(channel: RoomKey.make().channel, room: RoomName(room)) }
}
