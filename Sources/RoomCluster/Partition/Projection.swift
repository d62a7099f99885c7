import NIOCore
import RoomCore
import RoomModel

/// Gathers what the records of a partition change in the node's own history, and says when it is to be stored.
///
/// What comes within half a second is one write, and one write is under way: many messages of a room cost as much as one. A write that
/// fails is repeated as it is, so nothing is left out; meanwhile the next one gathers, until there is no place for more. At times
/// a write has a snapshot of the partition, at its place; a node that starts again reads that, and applies the records behind it
/// once more, of which nothing is stored a second time.
///
/// Pure: times come in, monotonic and in nanoseconds. The owner stores what `take` gives (`ProjectedHistory.store`) and says
/// what has become of it.
struct Projection: Sendable {
    /// A read that waits. It is called with a failure where nobody knows when the history will be so far.
    typealias Read = @Sendable (Result<Void, EngineError>) -> Void

    private let partition: Int
    private let generation: Int
    /// The history has everything through this place.
    private(set) var stored: LogOffset?
    /// The newest record that has changed what is stored.
    private var changed: LogOffset?
    private var gathered: ProjectionWrite?
    /// When the first change that is gathered came, or else the first record.
    private var since: UInt64 = 0
    private var underWay: ProjectionWrite?
    /// When the write that is under way is repeated; `nil`: it is at the store.
    private var retry: UInt64?
    private var reads: [(place: LogOffset, read: Read)] = []
    /// The history has lost what it had: no record can be added any more, and the partition has to be opened anew.
    private(set) var isLost = false
    private var snapshots: SnapshotTurns
    /// The next record brings a snapshot: somebody has asked for one.
    private var wantsSnapshot = false

    /// Changes wait for so long, unless there are many, or a read waits for them. All partitions write at the same multiples of it,
    /// so that they share transactions.
    private let gathering: UInt64
    /// Where nothing has changed but the place.
    private static let idleGathering: UInt64 = 1_000_000_000
    private static let retryDelay: UInt64 = 1_000_000_000
    /// Of changes: a write of so many is due at once.
    private static let bytesDue = 1 << 20
    /// Of changes that are not stored.
    private static let bytesHeld = 8 << 20

    init(_ found: ProjectedPartition, now: UInt64, gathering: UInt64 = 500_000_000) {
        self.gathering = gathering
        self.partition = found.partition
        self.generation = found.generation
        self.stored = found.place
        self.changed = found.place
        self.snapshots = SnapshotTurns(bytes: found.snapshot?.readableBytes ?? 0, now: now)
    }

    /// Has the next record bring a snapshot, which `wait` waits for, too.
    mutating func wantSnapshot() { self.wantsSnapshot = true }

    // MARK: Records

    /// So much waits for the disk that no more records may be applied until a write is stored.
    var isFull: Bool { (self.gathered?.bytes ?? 0) + (self.underWay?.bytes ?? 0) >= Self.bytesHeld }

    /// The last write has failed: the node is not ready to serve history.
    private(set) var isFailing = false

    /// Takes what the partition's newest record has changed. One that is stored already, since it is applied for a second time, changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - partition: as it is behind the record.
    ///   - recordTime: when the log took the record, in Unix milliseconds.
    ///   - recordBytes: the length of the record.
    mutating func add(
        _ changes: [RoomChange],
        of partition: Partition,
        recordTime: Int64,
        recordBytes: Int,
        now: UInt64
    ) {
        self.snapshots.passed(recordBytes)
        guard !self.isLost, let place = partition.accepted.place else { return }
        if let stored, place <= stored { return }
        var write =
            self.gathered ?? ProjectionWrite(partition: self.partition, generation: self.generation, through: place)
        if self.gathered == nil || write.changes.isEmpty && !changes.isEmpty { self.since = now }
        write.through = place
        write.recordTime = recordTime
        write.time = partition.accepted.time.milliseconds
        self.gathered = nil  // it is not copied when it is changed
        for change in changes { write.add(change) }
        if !changes.isEmpty { self.changed = place }
        if self.wantsSnapshot { self.changed = place }
        if self.wantsSnapshot || self.snapshots.isDue(now: now) {
            self.wantsSnapshot = false
            let snapshot = partition.encoded
            self.snapshots.taken(bytes: snapshot.readableBytes, now: now)
            write.snapshot = snapshot
        }
        self.gathered = write
    }

    // MARK: Writes

    /// When `take` has to be called; `nil`: not before something is added, or a write has ended.
    var deadline: UInt64? {
        if self.isLost { return nil }
        return self.underWay == nil ? self.gathered.map { self.due($0) } : self.retry
    }

    private func due(_ write: ProjectionWrite) -> UInt64 {
        if write.changes.isEmpty { return self.since + Self.idleGathering }
        if write.bytes >= Self.bytesDue || !self.reads.isEmpty { return self.since }
        return (self.since / self.gathering + 1) * self.gathering
    }

    /// The write that is to be stored now. `written` or `failed` has to follow.
    mutating func take(now: UInt64) -> ProjectionWrite? {
        guard let deadline, deadline <= now else { return nil }
        self.retry = nil
        if let underWay { return underWay }
        self.underWay = self.gathered.take()
        self.underWay?.after = self.stored
        return self.underWay
    }

    /// - Returns: the reads that can be made now.
    mutating func written() -> [Read] {
        guard let write = self.underWay.take() else { return [] }
        self.stored = write.through
        self.isFailing = false
        let ready = self.reads.filter { $0.place <= write.through }
        self.reads.removeAll { $0.place <= write.through }
        return ready.map(\.read)
    }

    /// - Returns: all reads that wait: they fail.
    mutating func failed(_ error: EngineError, now: UInt64) -> [Read] {
        self.retry = now + Self.retryDelay
        self.isFailing = true
        if error == .reset {
            self.isLost = true
            (self.gathered, self.underWay) = (nil, nil)
        }
        defer { self.reads = [] }
        return self.reads.map(\.read)
    }

    // MARK: Reads

    /// The name of a room's log for the engine that reads it, once `wait` lets it.
    func log(of room: RoomKey, in epoch: Epoch) -> LogID {
        LogID(rawValue: 0, generation: self.generation, new: NewLog(room: room, epoch: epoch))
    }

    /// Whether a read can be made now that is to see everything through this place.
    ///
    /// - Parameters:
    ///   - place: of the partition's newest record when the read was asked for.
    ///   - read: is told later, by whoever is given it. `take` has to be called behind this.
    /// - Returns: `nil`: it has to wait.
    mutating func wait(for place: LogOffset?, _ read: @escaping Read) -> Result<Void, EngineError>? {
        if self.isLost { return .failure(.reset) }
        guard let place, let changed else { return .success(()) }
        let needed = min(place, changed)
        if let stored, needed <= stored { return .success(()) }
        if self.isFailing { return .failure(.unavailable) }
        self.reads.append((needed, read))
        return nil
    }
}
