import RoomCore
import RoomModel

/// A room of a partition, and beside it the ids that it has given.
struct PartitionRoom {
    private(set) var room: Room
    private(set) var ids: IDSequence

    init(_ room: Room, ids: IDSequence) {
        self.room = room
        self.ids = ids
    }

    /// - Parameter milliseconds: that of a newest id which may have been given.
    init(_ room: Room, idsAfter milliseconds: Int64) {
        self.init(room, ids: IDSequence(milliseconds: milliseconds, sequence: 0xfff, seed: 0))
    }

    var isHeld: Bool { !self.room.members.isEmpty }

    /// The bytes that its publish keys take, and when the newest of them came.
    var keyCounts: (bytes: Int, newest: UInt32?) { (self.room.keys.bytes, self.room.keys.newest) }

    var storedLog: Partition.StoredLog {
        Partition.StoredLog(room: self.room.key, epoch: self.room.epoch, history: self.room.settings.history)
    }

    mutating func enqueue(_ command: RoomCommand) {
        // refuses nothing: its backlog has no limit
        _ = self.room.enqueue(command)
    }

    /// Takes all that waits.
    ///
    /// - Parameter always: a batch is made even if nothing waits.
    mutating func advance(
        at place: LogOffset,
        _ time: PartitionTime,
        hasPlace: Bool,
        always: Bool = false
    ) -> [Partition.Batch] {
        var batches: [Partition.Batch] = []
        var seeds = PlaceSeeds(self.room.key, place)
        while true {
            switch self.room.advance() {
            case .none:
                if always, batches.isEmpty {
                    batches.append(self.takeBatch(at: time, seed: seeds.next(), hasPlace: hasPlace))
                }
                return batches
            case .open: self.open(Epoch(rawValue: seeds.next()))
            case .clear:
                let epoch = Epoch(rawValue: seeds.next())
                if self.room.cleared(epoch: epoch) { self.open(epoch) }
            case .take: batches.append(self.takeBatch(at: time, seed: seeds.next(), hasPlace: hasPlace))
            }
            self.room.adoptNextSettings()
        }
    }

    private mutating func takeBatch(at time: PartitionTime, seed: UInt64, hasPlace: Bool) -> Partition.Batch {
        let turn = RoomTurn(
            milliseconds: time.milliseconds,
            steadyMilliseconds: time.steadyMilliseconds,
            ids: self.nextIDs(at: time.milliseconds, seed: seed),
            hasPlace: hasPlace
        )
        let batch = self.room.takeBatch(turn)
        self.ids = batch.turn.ids
        if batch.needsCommit { self.room.committed(AppendReceipt(oldestSeq: self.room.oldestStored)) }
        return Partition.Batch(room: self.room.key, view: RoomView(self.room), batch: batch)
    }

    // MARK: Imports

    /// Why a part cannot be imported; `nil`: it can.
    func refusal(of part: ImportRecord) -> ImportRecord.Outcome? {
        guard self.room.settings.history != nil, let first = part.entries.first else { return .movedOn }
        guard let after = part.after else { return self.room.lastSeq == 0 ? nil : .occupied }
        let goesOn = after.epoch == self.room.epoch && after.seq == self.room.lastSeq && first.seq == after.seq + 1
        return goesOn ? nil : .movedOn
    }

    /// The part becomes the room's log, or goes on with it.
    mutating func take(_ part: ImportRecord, epoch: Epoch) {
        guard let first = part.entries.first, let last = part.entries.last else { return }
        let known = part.after == nil ? RedactionIndex() : self.room.redactions
        let redactions = part.entries.lazy.filter { !$0.kind.isMessage }.map(\.seq)
        self.room.replaceLog(
            OpenedLog(
                log: LogID(of: self.room.key, in: epoch),
                epoch: epoch,
                lastSeq: last.seq,
                lastID: last.id,
                oldestSeq: part.after == nil ? first.seq : self.room.oldestStored,
                recentKeys: [],
                redactions: RedactionIndex(unknownThrough: known.unknownThrough, seqs: known.seqs + redactions)
            )
        )
        let newest = IDSequence(milliseconds: last.id.milliseconds, sequence: Int(last.id.sequence), seed: 0)
        if (self.ids.milliseconds, self.ids.sequence) < (newest.milliseconds, newest.sequence) { self.ids = newest }
    }

    mutating func pruned(through place: Position) { self.room.pruned(through: place) }

    // MARK: What it forgets

    /// - Parameter second: `RoomTurn.steadySecond`.
    mutating func forgetKeys(through second: UInt32) {
        // a damaged snapshot may have a second that never comes
        self.room.forgetAllKeys(before: min(second, .max - 1) + 1)
    }

    /// Nobody is in the room: who publishes again what it has published, or in slow mode, is let in.
    mutating func forgetAllButHistory() { self.room.forgetAllButHistory() }

    /// Without members it is needed as long as its messages are kept, which its next one has to go on behind, and as long as it has
    /// rules.
    ///
    /// - Parameters:
    ///   - since: it was not used since then.
    ///   - now: `PartitionTime.steadyMilliseconds`.
    func isNeeded(since: Int64, now: Int64) -> Bool {
        if self.isHeld || !self.room.rules.isEmpty { return true }
        guard let history = self.room.settings.history, self.room.lastSeq > 0 else { return false }
        return .milliseconds(now - since) <= history.age
    }

    // MARK: The part of the store

    /// A log begins: the room had none, or it was cleared.
    private mutating func open(_ epoch: Epoch) {
        let log = LogID(of: self.room.key, in: epoch)
        self.room.opened(OpenedLog(log: log, epoch: epoch, lastSeq: 0, lastID: nil, oldestSeq: 1, recentKeys: []))
    }

    /// Above those that the room has given.
    private func nextIDs(at milliseconds: Int64, seed: UInt64) -> IDSequence {
        milliseconds > self.ids.milliseconds
            ? IDSequence(milliseconds: milliseconds, seed: seed)
            : IDSequence(milliseconds: self.ids.milliseconds, sequence: self.ids.sequence, seed: seed)
    }
}

/// What takes the place of chance for a room in a record: other numbers for each room and each place.
struct PlaceSeeds {
    private let room: RoomKey
    private var state: UInt64

    init(_ room: RoomKey, _ place: LogOffset) {
        self.room = room
        self.state = place.rawValue &* 0x1_0000
    }

    mutating func next() -> UInt64 {
        defer { self.state &+= 1 }
        return StableHash.of(self.room.room.text, from: StableHash.of(self.room.channel.text, from: self.state))
    }
}
