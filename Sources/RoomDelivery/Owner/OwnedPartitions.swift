import RoomCore
import RoomModel

/// The partitions of a cluster whose rooms a shard owns. Confined to the shard's event loop.
final class OwnedPartitions {
    unowned let owner: RoomOwner
    private let cluster: ClusterEnvironment
    private var all: [Int: OwnedPartition] = [:]
    /// Bounds what the clients of this node have sent and the logs have not shown yet.
    private var unstored: CommitBacklog

    init(_ owner: RoomOwner, _ cluster: ClusterEnvironment, shards: Int) {
        self.owner = owner
        self.cluster = cluster
        self.unstored = CommitBacklog(limit: owner.context.limits.backlogTotal / max(1, shards))
    }

    private var context: ShardContext { self.owner.context }

    /// The bytes of the messages that the logs have not shown yet.
    var unstoredBytes: Int { self.unstored.bytes }
    /// The bytes that the publish keys of all rooms take.
    var keyBytes: Int { self.all.values.reduce(0) { $0 + ($1.followed.partition?.keyBytes ?? 0) } }

    // MARK: Life

    /// Begins to follow the partitions, once all shards know each other.
    func follow() {
        for number in 0..<self.cluster.partitions where number % self.context.peers.count == self.context.index {
            let environment = PartitionEnvironment(
                number,
                of: self.cluster,
                on: self.context.eventLoop,
                self.context.environment
            )
            let partition = OwnedPartition(environment, self, reader: self.cluster.reader)
            self.all[number] = partition
            partition.followed.start()
        }
    }

    /// Follows them no more.
    func close() {
        for partition in self.all.values { partition.followed.close() }
        self.all = [:]
    }

    /// The nodes that the logs know as alive, this one among them, and when each was heard last.
    var nodes: [NodeNumber: UInt64] {
        self.all.values.reduce(into: [:]) { $0.merge($1.followed.nodes, uniquingKeysWith: max) }
    }

    /// Through which place each of them is applied.
    var places: [Int: UInt64] { self.all.compactMapValues { $0.followed.partition?.accepted.place?.rawValue } }

    func place(of partition: Int) -> LogPlace? { self.all[partition]?.followed.partition?.accepted.place }

    /// Calls when the rooms of a partition are as far as a place of its log: `OwnedPartition.whenApplied`.
    func whenApplied(_ place: LogPlace, in partition: Int, _ told: @escaping @Sendable () -> Void) {
        self.all[partition]?.whenApplied(place, told)
    }

    /// Calls when the history has everything that the partition's rooms have now; with `false` where it cannot be written.
    func whenStored(_ partition: Int, _ told: @escaping @Sendable (Bool) -> Void) {
        guard let followed = self.all[partition]?.followed else { return told(false) }
        followed.whenStored { result in told((try? result.get()) != nil) }
    }

    func storeSnapshot(of partition: Int, _ told: @escaping @Sendable (Bool) -> Void) {
        guard let owned = self.all[partition] else { return told(false) }
        owned.storeSnapshot(told)
    }

    /// Redacted texts that the logs still have.
    var erasures: [PendingErasure] {
        self.all.flatMap { number, partition in
            let rooms = partition.followed.partition
            return (rooms?.erasures ?? []).map { erasure in
                PendingErasure(partition: number, erasure, rooms?[erasure.room])
            }
        }
    }

    func textErased(_ message: UniqueID, in partition: Int) {
        self.all[partition]?.followed.addErased(message)
    }

    func prune(_ room: RoomKey, through place: Position, _ told: @escaping @Sendable (Bool) -> Void) {
        guard let partition = self.partition(of: room) else { return told(false) }
        partition.prune(room, through: place, told)
    }

    func importLog(_ part: LogImport, _ told: @escaping @Sendable (ImportedPart.Outcome?) -> Void) {
        guard let partition = self.partition(of: part.room), let owned = self.owner.room(part.room),
            case .log(let logged) = owned.order
        else { return told(nil) }
        self.owner.trackIfDormant(owned)
        let part = ImportedPart(
            room: part.room,
            settings: logged.settings,
            after: part.after,
            entries: part.entries
        )
        partition.importPart(part, told)
    }

    func read(
        _ query: LogQuery,
        in partition: Int,
        _ completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void
    ) {
        guard let reader = self.all[partition]?.reader else { return completion(.failure(.unavailable)) }
        reader.read(query, completion: completion)
    }

    /// Another node does not live any more.
    func nodeGone(_ node: NodeNumber) {
        for partition in self.all.values { partition.followed.addGone(node) }
    }

    func partition(of room: RoomKey) -> OwnedPartition? { self.all[self.cluster.partition(of: room)] }

    /// The room as the log has made it; `nil`: it has not.
    func room(_ key: RoomKey) -> Room? { self.partition(of: key)?.followed.partition?[key] }

    func makeRoom(_ key: RoomKey, of channel: RoomChannel) -> LoggedRoom {
        let limits = self.context.limits
        let settings = self.cluster.roomSettings(of: key.room, in: channel, limits)
        let room =
            self.room(key) ?? Room(key: key, settings: settings, epoch: self.context.newEpoch(), limits: limits)
        return LoggedRoom(RoomView(room), settings)
    }

    /// The channel of a room has changed: the room gets its new settings by the log, unless it has them.
    func channelChanged(_ channel: RoomChannel, for room: LoggedRoom, _ key: RoomKey) {
        room.settings = self.cluster.roomSettings(of: key.room, in: channel, self.context.limits)
        guard let version = self.room(key)?.settings.version, version < room.settings.version else { return }
        // a refusal would have nobody to hear it, and each later command brings the settings, too
        _ = self.take(.settings(room.settings, epoch: self.context.newEpoch()), in: room, key)
    }

    /// The channel of a room is gone: so is the room's history. A channel of the same id would have a higher version than the next
    /// one, because its deletion is counted too (`StoredChannel.version`).
    func channelRemoved(_ room: LoggedRoom, _ key: RoomKey) {
        var settings = room.settings
        settings.version += 1
        settings.history = nil
        guard let version = self.room(key)?.settings.version, version < settings.version else { return }
        _ = self.take(.settings(settings, epoch: self.context.newEpoch()), in: room, key)
    }

    /// Members go out of a room also when its channel is gone.
    ///
    /// - Returns: whether the command was taken.
    func takeDeparture(_ command: RoomCommand, from key: RoomKey) -> Bool {
        switch command {
        case .leave, .linger, .graceEnded: break
        default: return false
        }
        guard let partition = self.partition(of: key), let settings = self.room(key)?.settings else { return false }
        _ = partition.take(PartitionRecord.RoomEntry(command, in: key, settings))
        return true
    }

    // MARK: Commands

    /// Sends a command on its way to the log.
    ///
    /// - Returns: the answer to it where it cannot be sent.
    func take(_ command: RoomCommand, in room: LoggedRoom, _ key: RoomKey) -> RoomAnswer? {
        guard let partition = self.partition(of: key) else { return command.refused(Self.unreachable, in: key.room) }
        let entry = PartitionRecord.RoomEntry(command, in: key, room.settings)
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

    /// So many bytes of a room wait no more.
    func ended(_ bytes: Int, of room: LoggedRoom) {
        self.unstored.count(room.unstored.counted - bytes, in: &room.unstored)
    }

    /// A message and its sender: the log would never take a larger one, nor what is behind it.
    private static let largestMessage = PartitionRecord.utmost - PartitionRecord.frame

    private static let tooLarge = RequestError(
        .messageTooLarge,
        "the message is larger than a cluster's log takes: with its sender, it can have \(OwnedPartitions.largestMessage) bytes at most"
    )

    static let unreachable = RequestError(
        .storageUnavailable,
        "the cluster's log cannot be reached by this node now; ask again, or connect to another node",
        retryAfterMilliseconds: 1_000
    )
}
