import DequeModule
package import RoomModel

/// The rooms of one partition, as its records make them: the same records in the same order make the same rooms, in every
/// process. It reads no clock and draws no random bits: time is the log's, ids and epochs follow from a record's place.
///
/// A record is one turn of each of its rooms: they are given all commands of the record in order, and then advance in the order of
/// their first command until nothing waits. What the store would say is known: whatever is in the log is committed.
package struct Partition {
    package private(set) var accepted = AcceptedRecords()
    private var rooms: [RoomKey: PartitionRoom] = [:]
    /// How many rooms of each channel have members.
    private var held: [ChannelID: Int] = [:]
    private var lingering = LingeringMembers()
    private let settings: @Sendable (RoomKey) -> RoomSettings
    private let limits: BrokerLimits
    private let longestGrace: Int64

    /// What a record has done.
    package struct Applied: Equatable, Sendable {
        package var outcome: AcceptedRecords.Outcome
        /// Of several rooms, and of a room several, in this order.
        package var batches: [Batch] = []
    }

    package struct Batch: Equatable, Sendable {
        package var room: RoomKey
        package var epoch: Epoch
        package var batch: RoomBatch
    }

    /// All of it has to be the same on all nodes.
    ///
    /// - Parameters:
    ///   - longestGrace: after so many milliseconds a member that lingers is out, whatever has become of its node.
    ///   - settings: of a new room; `roomLimit` is the partition's share of the channel's.
    package init(
        limits: BrokerLimits,
        longestGrace: Int64,
        settings: @escaping @Sendable (RoomKey) -> RoomSettings
    ) {
        var limits = limits
        // what waits is bounded by the size of a record, and was checked before it was appended
        limits.backlogPerRoom = .max
        self.limits = limits
        self.longestGrace = longestGrace
        self.settings = settings
    }

    package subscript(room: RoomKey) -> Room? { self.rooms[room]?.room }

    package var keys: some Collection<RoomKey> { self.rooms.keys }

    /// Something happens with time alone: a node appends a tick if the log has no records.
    package var waitsForTime: Bool { !self.lingering.isEmpty }

    /// - Parameters:
    ///   - place: behind that of the record before.
    ///   - time: when the log took it, in Unix milliseconds.
    package mutating func apply(_ record: PartitionRecord, at place: LogPlace, time: Int64) -> Applied {
        let outcome = self.accepted.take(record, at: place, time: time)
        guard outcome != .ignored else { return Applied(outcome: outcome) }
        // what is over at this time was over before the record
        var entries = self.lingering.due(at: self.accepted.time.steadyMilliseconds).map { member in
            PartitionRecord.RoomEntry(.graceEnded(member.client), in: member.room)
        }
        switch (outcome, record.content) {
        case (.ends(let node), _): entries += self.departures(of: node)
        case (_, .commands(let commands)): entries += commands
        case (_, .tick), (_, .gone): break
        }
        return Applied(outcome: outcome, batches: self.take(entries, at: place))
    }

    private mutating func take(_ entries: [PartitionRecord.RoomEntry], at place: LogPlace) -> [Batch] {
        var (order, known): ([RoomKey], Set<RoomKey>) = ([], [])
        for entry in entries {
            if known.insert(entry.room).inserted { order.append(entry.room) }
            if case .linger(let client, _, _) = entry.command {
                let deadline = self.accepted.time.steadyMilliseconds + self.longestGrace
                self.lingering.began(LingeringMembers.Member(room: entry.room, client: client), until: deadline)
            }
            if self.rooms[entry.room] == nil { self.rooms[entry.room] = self.newRoom(entry.room, at: place) }
            self.rooms[entry.room]?.enqueue(entry.command)
        }
        return order.flatMap { self.advance($0, at: place) }
    }

    private func newRoom(_ key: RoomKey, at place: LogPlace) -> PartitionRoom {
        var seeds = PlaceSeeds(key, place)
        let epoch = Epoch(rawValue: seeds.next())
        return PartitionRoom(Room(key: key, settings: self.settings(key), epoch: epoch, limits: self.limits))
    }

    private mutating func advance(_ key: RoomKey, at place: LogPlace) -> [Batch] {
        guard let index = self.rooms.index(forKey: key) else { return [] }
        let held = self.held[key.channel, default: 0]
        let wasHeld = self.rooms.values[index].isHeld
        let hasPlace = wasHeld || held < self.rooms.values[index].room.settings.roomLimit
        let batches = self.rooms.values[index].advance(at: place, self.accepted.time, hasPlace: hasPlace)
        let isHeld = self.rooms.values[index].isHeld
        if isHeld != wasHeld { self.held[key.channel] = held + (isHeld ? 1 : -1) }
        return batches
    }

    /// The members of a node that is gone linger, as if it had said so. The rooms are in the order of the bytes of their names.
    private func departures(of node: NodeNumber) -> [PartitionRecord.RoomEntry] {
        let rooms = self.rooms.values.filter { $0.room.subscribers.total > 0 }.map(\.room)
        return rooms.sorted { Self.precedes($0.key, $1.key) }.flatMap { room in
            room.members.senders.compactMap { sender in
                guard let client = sender.clientID, let connection = room.members[client]?.connection,
                    connection.node == node
                else { return nil }
                return PartitionRecord.RoomEntry(.linger(client, connection), in: room.key)
            }
        }
    }

    private static func precedes(_ left: RoomKey, _ right: RoomKey) -> Bool {
        left.channel == right.channel
            ? left.room.text.utf8.lexicographicallyPrecedes(right.room.text.utf8)
            : left.channel.text.utf8.lexicographicallyPrecedes(right.channel.text.utf8)
    }
}

/// A room, and beside it the ids that it has given.
private struct PartitionRoom {
    private(set) var room: Room
    private var ids = IDSequence(milliseconds: 0, seed: 0)

    init(_ room: Room) {
        self.room = room
    }

    var isHeld: Bool { !self.room.members.isEmpty }

    mutating func enqueue(_ command: RoomCommand) {
        // refuses nothing: its backlog has no limit
        _ = self.room.enqueue(command)
    }

    /// Takes all that waits.
    mutating func advance(at place: LogPlace, _ time: PartitionTime, hasPlace: Bool) -> [Partition.Batch] {
        var batches: [Partition.Batch] = []
        var seeds = PlaceSeeds(self.room.key, place)
        while true {
            switch self.room.advance() {
            case .none: return batches
            case .open: self.open(Epoch(rawValue: seeds.next()))
            case .clear:
                let epoch = Epoch(rawValue: seeds.next())
                if self.room.cleared(epoch: epoch) { self.open(epoch) }
            case .take:
                let ids = self.nextIDs(at: time.milliseconds, seed: seeds.next())
                let turn = RoomTurn(
                    milliseconds: time.milliseconds,
                    steadyMilliseconds: time.steadyMilliseconds,
                    ids: ids,
                    hasPlace: hasPlace
                )
                let batch = self.room.takeBatch(turn)
                self.ids = batch.turn.ids
                if batch.needsCommit { self.room.committed(AppendReceipt(oldestSeq: self.room.oldestStored)) }
                batches.append(Partition.Batch(room: self.room.key, epoch: self.room.epoch, batch: batch))
            }
            self.room.adoptNextSettings()
        }
    }

    /// A log begins: the room had none, or it was cleared.
    private mutating func open(_ epoch: Epoch) {
        let log = LogID(rawValue: 1, generation: 1)
        self.room.opened(
            OpenedLog(log: log, epoch: epoch, lastSeq: 0, lastID: nil, oldestSeq: 1, recentKeys: [])
        )
    }

    /// Above those that the room has given.
    private func nextIDs(at milliseconds: Int64, seed: UInt64) -> IDSequence {
        milliseconds > self.ids.milliseconds
            ? IDSequence(milliseconds: milliseconds, seed: seed)
            : IDSequence(milliseconds: self.ids.milliseconds, sequence: self.ids.sequence, seed: seed)
    }
}

/// What takes the place of chance for a room in a record: other numbers for each room and each place.
private struct PlaceSeeds {
    private let room: RoomKey
    private var state: UInt64

    init(_ room: RoomKey, _ place: LogPlace) {
        self.room = room
        self.state = place.rawValue &* 0x1_0000
    }

    mutating func next() -> UInt64 {
        defer { self.state &+= 1 }
        return StableHash.of(self.room.room.text, from: StableHash.of(self.room.channel.text, from: self.state))
    }
}

/// The members that linger, and when each is out at the latest. Its home node says so earlier (`RoomCommand.graceEnded`); this is
/// for those whose node is gone.
private struct LingeringMembers {
    struct Member: Hashable {
        let room: RoomKey
        let client: ClientID
    }

    /// In the order of their ends, with those that have begun anew since.
    private var queue: Deque<(member: Member, end: Int64)> = []
    private var ends: [Member: Int64] = [:]

    var isEmpty: Bool { self.queue.isEmpty }

    /// It may have come back meanwhile: then its end does nothing.
    mutating func began(_ member: Member, until end: Int64) {
        self.ends[member] = end
        self.queue.append((member, end))
    }

    mutating func due(at time: Int64) -> [Member] {
        var due: [Member] = []
        while let (member, end) = self.queue.first, end <= time {
            self.queue.removeFirst()
            guard self.ends[member] == end else { continue }
            self.ends[member] = nil
            due.append(member)
        }
        return due
    }
}
