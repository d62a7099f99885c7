import NIOCore
import RoomCore
import RoomModel

/// One room's log in a `MemoryEngine`.
struct MemoryLog: Sendable {
    let id: LogID
    let epoch: Epoch
    private(set) var entries: [LogEntry] = []
    /// Stored, and found damaged by each read.
    var damaged: ClosedRange<UInt64>?
    /// Those with a key that retention does not serve any more: their keys are remembered beyond it.
    private var unserved: [LogEntry] = []
    private var lastSeq: UInt64 = 0
    private var lastID: UniqueID?

    init(id: LogID, epoch: Epoch) {
        self.id = id
        self.epoch = epoch
    }

    /// A log that goes on after `earlier`, or begins with these entries wherever they do.
    init(id: LogID, epoch: Epoch, after earlier: MemoryLog?, _ entries: [LogEntry]) {
        self.init(id: id, epoch: epoch)
        self.entries = earlier?.entries ?? []
        self.unserved = earlier?.unserved ?? []
        self.lastID = earlier?.lastID
        self.lastSeq = earlier?.lastSeq ?? (entries.first.map { $0.seq - 1 } ?? 0)
    }

    var position: Position { Position(epoch: self.epoch, seq: self.lastSeq) }

    func isContinued(by entries: [LogEntry]) -> Bool {
        guard let first = entries.first else { return false }
        return first.seq == self.lastSeq + 1 && self.lastID.map { $0 < first.id } ?? true
    }

    private var oldestSeq: UInt64 { self.entries.first?.seq ?? self.lastSeq + 1 }

    /// Those with a key, also those that are not served any more.
    var keyed: [LogEntry] { (self.unserved + self.entries).filter { $0.key != nil } }

    func opened(keysSince: Int64) -> OpenedLog {
        let recent = self.keyed.filter { $0.id.milliseconds >= keysSince }
        return OpenedLog(
            log: self.id,
            epoch: self.epoch,
            lastSeq: self.lastSeq,
            lastID: self.lastID,
            oldestSeq: self.oldestSeq,
            recentKeys: recent.compactMap { $0.keyed($0.seq) },
            redactions: RedactionIndex(seqs: self.entries.filter { !$0.kind.isMessage }.map(\.seq))
        )
    }

    mutating func append(_ batch: LogBatch) -> Result<AppendReceipt, EngineError> {
        precondition(
            batch.entries.map(\.seq).elementsEqual((0..<UInt64(batch.entries.count)).map { self.lastSeq + 1 + $0 }),
            "an append has to go on where the log ends: \(batch.entries.map(\.seq)) after \(self.lastSeq)"
        )
        for entry in batch.entries {
            if let lastID { precondition(entry.id > lastID, "ids have to increase") }
            self.lastID = entry.id
        }
        for tombstone in batch.tombstones { self.put(tombstone) }
        self.entries += batch.entries
        self.lastSeq += UInt64(batch.entries.count)
        if self.entries.count > batch.retention.count {
            self.drop(self.entries.count - batch.retention.count)
        }
        return .success(AppendReceipt(oldestSeq: self.oldestSeq))
    }

    private mutating func put(_ tombstone: Tombstone) {
        guard let index = self.entries.firstIndex(where: { $0.seq == tombstone.seq }),
            self.entries[index].id == tombstone.id, self.entries[index].kind == .message
        else { return }
        self.entries[index].kind = .tombstone
        self.entries[index].tail = tombstone.tail
    }

    mutating func trim(through seq: UInt64) {
        self.drop(self.entries.prefix { $0.seq <= seq }.count)
    }

    private mutating func drop(_ count: Int) {
        self.unserved += self.entries.prefix(count).filter { $0.key != nil }
        self.entries.removeFirst(count)
    }

    func page(_ query: LogQuery) -> LogPage {
        let served = self.entries.filter {
            $0.id.milliseconds >= query.now - query.retention.age.components.seconds * 1_000
        }
        let inRange: [LogEntry]
        let isForward: Bool
        switch query.range {
        case .after(let seq, let through):
            (inRange, isForward) = (served.filter { $0.seq > seq && $0.seq <= through }, true)
        case .before(let seq):
            (inRange, isForward) = (served.filter { $0.seq < seq }.reversed(), false)
        }
        let lost = inRange.prefix { self.isDamaged($0) }.map(\.seq)
        let chosen = Self.fitting(inRange.dropFirst(lost.count).prefix { !self.isDamaged($0) }, query)
        let entries = chosen.map { LogEntry($0.kind, seq: $0.seq, id: $0.id, user: $0.user, tail: $0.tail) }
        var page = LogPage(
            entries: isForward ? entries : entries.reversed(),
            hasMore: lost.count + chosen.count < inRange.count,
            oldestSeq: served.first?.seq ?? self.lastSeq + 1,
            hasExpired: served.count < self.entries.count
        )
        if let first = lost.min(), let last = lost.max() { page.lost = first...last }
        return page
    }

    private func isDamaged(_ entry: LogEntry) -> Bool { self.damaged?.contains(entry.seq) ?? false }

    /// Without regard to the age of messages, which only queries name.
    func seq(of id: UniqueID) -> UInt64? {
        self.entries.first { $0.id == id }?.seq
    }

    private static func fitting(_ entries: some Sequence<LogEntry>, _ query: LogQuery) -> [LogEntry] {
        var bytes = 0
        var result: [LogEntry] = []
        for entry in entries {
            bytes += entry.tail.readableBytes
            if !result.isEmpty, bytes > query.maxBytes || result.count >= query.maxCount { break }
            result.append(entry)
        }
        return result
    }
}

extension LogEntry {
    /// - Parameter seq: 0: its log has ended.
    func keyed(_ seq: UInt64) -> OpenedLog.KeyedEntry? {
        self.key.map { OpenedLog.KeyedEntry(seq: seq, key: $0, tail: self.tail) }
    }
}
