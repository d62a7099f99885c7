import RoomCore
import RoomDelivery
import RoomModel

/// Orders the rooms of a shard by the logs of their partitions, which all nodes of the cluster follow. Confined to the shard's event
/// loop.
final class LogSequencer: RoomSequencer {
    unowned let owner: RoomOwner
    let cluster: ClusterEnvironment
    /// The partitions that are followed, once all shards know each other.
    private(set) var partitions: [Int: OwnedPartition] = [:]
    /// Bounds what the clients of this node have sent and the logs have not shown yet.
    private var unstored: CommitBacklog

    init(_ owner: RoomOwner, _ cluster: ClusterEnvironment, shards: Int) {
        self.owner = owner
        self.cluster = cluster
        self.unstored = CommitBacklog(limit: owner.context.limits.backlogTotal / max(1, shards))
    }

    private var context: ShardContext { self.owner.context }

    /// Begins to follow the partitions.
    func follow() {
        for number in 0..<self.cluster.partitions where number % self.context.peers.count == self.context.index {
            let environment = PartitionEnvironment(
                number,
                of: self.cluster,
                on: self.context.eventLoop,
                self.context.environment
            )
            let partition = OwnedPartition(environment, self, reader: self.cluster.reader)
            self.partitions[number] = partition
            partition.followed.start()
        }
    }

    /// Follows them no more.
    func close() {
        for partition in self.partitions.values { partition.followed.close() }
        self.partitions = [:]
    }

    func partition(of room: RoomKey) -> OwnedPartition? { self.partitions[self.cluster.partition(of: room)] }

    // MARK: Rooms

    func makeOrder(of key: RoomKey, in channel: RoomChannel) -> any RoomOrder {
        let limits = self.context.limits
        let settings = self.cluster.roomSettings(of: key.room, in: channel, limits)
        let room =
            self.room(key) ?? Room(key: key, settings: settings, epoch: self.context.newEpoch(), limits: limits)
        return LogRoom(RoomView(room), settings)
    }

    /// The order of a room, which this sequencer has made.
    func order(of owned: OwnedRoom) -> LogRoom { unsafeDowncast(owned.order, to: LogRoom.self) }

    /// The room as the log has made it; `nil`: it has not.
    func room(_ key: RoomKey) -> Room? { self.partition(of: key)?.followed.partition?[key] }

    /// The partition forgets what it does not need any more.
    func forget(_ owned: OwnedRoom) {}

    // MARK: Commands

    /// Sends a command on its way to the log.
    func take(_ command: RoomCommand, in owned: OwnedRoom) -> RoomAnswer? {
        // until the log shows that somebody is there
        defer { if owned.order.isDormant { self.owner.addDormant(owned) } }
        let (room, key) = (self.order(of: owned), owned.key)
        guard let partition = self.partition(of: key) else { return command.refused(Self.unreachable, in: key.room) }
        let entry = PartitionRecord.Command(self.readable(command), in: key, room.settings)
        guard case .publish(let publish) = command else { return partition.take(entry) }
        guard publish.size <= Self.largestMessage else {
            return .refused(publish.origin, publish.refused(Self.tooLarge, in: key.room))
        }
        let bytes = room.unstored.counted + publish.size
        guard bytes <= min(self.context.limits.backlogPerRoom, self.unstored.left) else {
            return publish.refusedForTooMuch(in: key.room)
        }
        if let refusal = partition.take(entry) { return refusal }
        self.unstored.count(bytes, in: &room.unstored)
        partition.waits(publish.size, of: room)
        return nil
    }

    /// The command without what a node of an older release cannot read: the text of a redacted message then stays in the log.
    private func readable(_ command: RoomCommand) -> RoomCommand {
        guard case .redact(var redact) = command, !self.cluster.canAllRead(.orders) else { return command }
        redact.tombstone.text = nil
        return .redact(redact)
    }

    func takeDeparture(_ command: RoomCommand, from key: RoomKey) -> Bool {
        switch command {
        case .leave, .linger, .graceEnded: break
        default: return false
        }
        guard let partition = self.partition(of: key), let settings = self.room(key)?.settings else { return false }
        _ = partition.take(PartitionRecord.Command(command, in: key, settings))
        return true
    }

    /// So many bytes of a room wait no more.
    func ended(_ bytes: Int, of room: LogRoom) {
        self.unstored.count(room.unstored.counted - bytes, in: &room.unstored)
    }

    /// A message and its sender: the log would never take a larger one, nor what is behind it.
    private static let largestMessage = PartitionRecord.utmost - PartitionRecord.frame

    private static let tooLarge = RequestError(
        .messageTooLarge,
        "the message is larger than a cluster's log takes: with its sender, it can have \(LogSequencer.largestMessage) bytes at most"
    )

    static let unreachable = RequestError(
        .storageUnavailable,
        "the cluster's log cannot be reached by this node now; ask again, or connect to another node",
        retryAfterMilliseconds: 1_000
    )

    // MARK: The turn

    /// Records are applied as they come, and not in turns.
    var isIdle: Bool { true }

    func turn() {}

    // MARK: Changes from outside

    /// The room gets its new settings by the log, unless it has them.
    func channelChanged(for owned: OwnedRoom) {
        let room = self.order(of: owned)
        room.settings = self.cluster.roomSettings(of: owned.key.room, in: owned.channel, self.context.limits)
        self.send(room.settings, of: owned)
    }

    /// The room's history goes, too. A channel of the same id would have a higher version than the next one, because its deletion is
    /// counted too (`StoredChannel.version`).
    func channelRemoved(for owned: OwnedRoom) {
        var settings = self.order(of: owned).settings
        settings.version += 1
        settings.history = nil
        self.send(settings, of: owned)
    }

    private func send(_ settings: RoomSettings, of owned: OwnedRoom) {
        guard let version = self.room(owned.key)?.settings.version, version < settings.version else { return }
        // a refusal would have nobody to hear it, and each later command brings the settings, too
        _ = self.take(.settings(settings, epoch: self.context.newEpoch()), in: owned)
    }

    func rulesChanged(_ rules: RoomRules, of key: RoomKey) {
        self.owner.take(.rules(rules), for: key)
    }

    func logReported(_ report: LogReport, of owned: OwnedRoom, _ log: LogID) {
        guard case .trimmed(let oldest, let hasExpired) = report, let epoch = log.new?.epoch else { return }
        self.order(of: owned).trimmed(to: Position(epoch: epoch, seq: oldest), hasExpired: hasExpired)
    }

    func pruned(_ owned: OwnedRoom, through place: Position) {
        self.order(of: owned).pruned(through: place)
    }

    // MARK: Memory

    var keyBytes: Int {
        self.partitions.values.reduce(0) { $0 + ($1.followed.partition?.keyBytes ?? 0) }
    }

    var unstoredBytes: Int { self.unstored.bytes }

    /// The partitions forget their keys alike on all nodes.
    func limitKeys(to bytes: Int) -> Bool { false }

    func forgetOldKeys() -> Bool { false }
}
