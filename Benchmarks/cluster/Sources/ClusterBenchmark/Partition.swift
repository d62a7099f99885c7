import NIOCore
import RoomCore
import RoomModel
import RoomWire

/// The rooms of one partition, as its records make them: the same records in the same order make the same rooms, in
/// every process. It reads no clock and draws no random bits: time is that of the stream, ids and epochs follow from
/// a record's place in it.
struct Partition {
    /// What a record was.
    enum Outcome: Equatable {
        case applied(RecordName)
        /// It was applied before, or one before it is missing: its sender sends all of them again.
        case ignored(RecordName)
        case unreadable
    }

    private let channel: RoomChannel
    private let limits = BrokerLimits()
    private(set) var rooms: [RoomName: HostedRoom] = [:]
    /// The newest applied record of each incarnation.
    private(set) var numbers: [UInt64: UInt64] = [:]
    private(set) var time = PartitionTime()
    /// Records that had no effect.
    private(set) var ignored = 0

    init(channel: RoomChannel) {
        self.channel = channel
    }

    /// Applies the record at a place of the stream.
    ///
    /// - Parameters:
    ///   - sequence: the place.
    ///   - nanoseconds: when the stream took it, Unix time.
    ///   - deliver: what the rooms have for their members.
    mutating func apply(
        _ bytes: ByteBuffer,
        sequence: UInt64,
        nanoseconds: Int64,
        deliver: (HostedRoom, RoomBatch) -> Void
    ) -> Outcome {
        guard let record = Record(bytes) else { return .unreadable }
        let expected = self.numbers[record.incarnation, default: 0] + 1
        guard record.number == expected else {
            self.ignored += 1
            return .ignored(record.name)
        }
        self.numbers[record.incarnation] = record.number
        self.time.advance(to: nanoseconds)
        let rooms = record.rooms.map { self.room($0, openedAt: sequence) }
        for (room, command) in record.commands {
            // what waits is bounded by the size of a record, not by the memory of this node
            if let refusal = rooms[room].room.enqueue(command) { rooms[room].refusals.append(refusal) }
        }
        for (index, hosted) in rooms.enumerated() {
            hosted.takeAll(self.time, seed: sequence &* 0x1_0001 &+ UInt64(index)) { deliver(hosted, $0) }
        }
        return .applied(record.name)
    }

    private mutating func room(_ name: RoomName, openedAt sequence: UInt64) -> HostedRoom {
        if let hosted = self.rooms[name] { return hosted }
        let key = RoomKey(channel: self.channel.id, room: name)
        let epoch = Epoch(rawValue: StableHash.of(name.text, from: sequence))
        let settings = self.channel.roomSettings(of: name, self.limits)
        let hosted = HostedRoom(Room(key: key, settings: settings, epoch: epoch, limits: self.limits), epoch)
        self.rooms[name] = hosted
        return hosted
    }
}

/// The time of a partition: that which the stream has noted for its records, but it never goes back, and a clock that is
/// set ahead moves it on by a step at most.
struct PartitionTime: Equatable {
    private static let longestStep: Int64 = 15_000

    /// Unix milliseconds.
    private(set) var milliseconds: Int64 = 0
    /// Goes on evenly.
    private(set) var steady: Int64 = 0
    private var latest: Int64?

    mutating func advance(to nanoseconds: Int64) {
        let now = nanoseconds / 1_000_000
        self.steady += min(max(now - (self.latest ?? now), 0), Self.longestStep)
        self.latest = now
        self.milliseconds = max(self.milliseconds, now)
    }

    func turn(ids: IDSequence) -> RoomTurn {
        RoomTurn(
            milliseconds: self.milliseconds,
            steadyMilliseconds: self.steady,
            ids: ids
        )
    }
}

/// A room, and beside it what its partition has to know of it.
final class HostedRoom {
    var room: Room
    let writer: PublishWriter
    var refusals: [RoomAnswer] = []
    private let epoch: Epoch
    private(set) var ids = IDSequence(milliseconds: 0, seed: 0)

    init(_ room: Room, _ epoch: Epoch) {
        self.room = room
        self.writer = PublishWriter(room: room.key.room)
        self.epoch = epoch
    }

    /// Takes what waits. What the store would answer is known: the record is committed already.
    func takeAll(_ time: PartitionTime, seed: UInt64, deliver: (RoomBatch) -> Void) {
        while true {
            switch self.room.advance() {
            case .none: return
            case .open:
                self.room.opened(
                    OpenedLog(
                        log: LogID(rawValue: 1, generation: 1),
                        epoch: self.epoch,
                        lastSeq: 0,
                        lastID: nil,
                        oldestSeq: 1,
                        recentKeys: []
                    )
                )
            // no record has that command yet
            case .clear: return
            case .take:
                let batch = self.takeBatch(time, seed: seed)
                if batch.needsCommit {
                    self.room.committed(AppendReceipt(oldestSeq: self.room.oldestStored))
                }
                deliver(batch)
            }
        }
    }

    func takeBatch(_ time: PartitionTime, seed: UInt64) -> RoomBatch {
        let batch = self.room.takeBatch(time.turn(ids: self.nextIDs(time, seed: seed)))
        self.ids = batch.turn.ids
        return batch
    }

    /// Above those that the room has.
    private func nextIDs(_ time: PartitionTime, seed: UInt64) -> IDSequence {
        time.milliseconds > self.ids.milliseconds
            ? IDSequence(milliseconds: time.milliseconds, seed: seed)
            : IDSequence(milliseconds: self.ids.milliseconds, sequence: self.ids.sequence, seed: seed)
    }
}
