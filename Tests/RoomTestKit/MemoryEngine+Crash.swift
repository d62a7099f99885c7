import DequeModule
import NIOConcurrencyHelpers
import RoomCore
package import RoomModel

extension MemoryEngine {
    package enum Crash: String, CaseIterable, Sendable {
        /// The broker dies; what it has committed stays.
        case ofProcess
        /// The machine dies: the newest commits since the last one that was synced may be gone.
        case ofMachine
    }

    /// Ends the life of the broker that has used this engine: some of the calls that wait are done, and nobody hears of it.
    /// Later calls of this engine have no effect.
    ///
    /// - Returns: the engine of the next broker, and what is lost.
    package func crash(_ crash: Crash, using random: inout SeededRandom) -> (next: MemoryEngine, lost: CrashLoss) {
        for _ in 0..<random.below(self.waiting.count + 1) { self.releaseOne() }
        var state = self.state.withLockedValue { $0 }
        let unsynced = state.record?.unsynced ?? []
        let kept = crash == .ofProcess ? unsynced.count : random.below(unsynced.count + 1)
        let lost = state.undo(unsynced[kept...])
        state.forgetEmptyLogs()
        state.held = []
        state.faults = [:]
        (state.isHolding, state.isHoldingAnswers) = (false, false)
        // a broker that starts syncs what it finds
        state.record?.synced()
        let next = MemoryEngine(clock: self.clock)
        next.state.withLockedValue { $0 = state }
        // calls that wait hold their engine
        self.state.withLockedValue { $0.held = [] }
        return (next, lost)
    }

    /// Whether this message was ever stored.
    package func hasStored(_ id: UniqueID) -> Bool {
        self.state.withLockedValue { $0.record?.stored.contains(id) ?? false }
    }

    /// Whether retention, a clear or a reset has taken this message out of its log.
    package func hasRemoved(_ id: UniqueID) -> Bool {
        self.state.withLockedValue { $0.record?.removed.contains(id) ?? false }
    }
}

/// Stored messages that a crash has cost, by room.
package struct CrashLoss: Sendable {
    package var messages: [RoomKey: Set<UniqueID>] = [:]
    /// Those that have their text again, because the redaction is lost.
    package var redacted: [RoomKey: Set<UniqueID>] = [:]
}

/// The notes of a `MemoryEngine` for a crash.
struct CrashRecord: Sendable {
    private(set) var stored: Set<UniqueID> = []
    private(set) var removed: Set<UniqueID> = []
    /// The commits since the last sync: each with the room's log as it was before.
    private(set) var unsynced: [Commit] = []

    struct Commit: Sendable {
        var room: RoomKey
        var before: MemoryLog
        var redacted: Set<UniqueID>
    }

    mutating func stored(_ entries: [LogEntry]) { self.stored.formUnion(entries.map(\.id)) }

    mutating func removed(_ entries: [LogEntry]) { self.removed.formUnion(entries.map(\.id)) }

    mutating func committed(_ commit: Commit) { self.unsynced.append(commit) }

    mutating func synced() { self.unsynced = [] }
}

extension MemoryEngine.State {
    mutating func note(_ batch: LogBatch, in room: RoomKey, before: MemoryLog) {
        let left = Set(self.logs[room]?.entries.map(\.id) ?? [])
        self.record?.stored(batch.entries)
        self.record?.removed((before.entries + batch.entries).filter { !left.contains($0.id) })
        switch batch.durability {
        case .process:
            let redacted = Set(batch.tombstones.map(\.id))
            self.record?.committed(CrashRecord.Commit(room: room, before: before, redacted: redacted))
        case .power: self.record?.synced()
        }
    }

    /// Takes back the newest commits; the rooms that they were of go on in another epoch.
    fileprivate mutating func undo(_ commits: ArraySlice<CrashRecord.Commit>) -> CrashLoss {
        let whole = self.logs
        for commit in commits.reversed() { self.logs[commit.room] = commit.before }
        var loss = CrashLoss()
        for room in commits.map(\.room) where loss.messages[room] == nil {
            guard let before = self.logs[room], let after = whole[room] else { continue }
            let left = Dictionary(uniqueKeysWithValues: before.entries.map { ($0.id, $0.kind) })
            loss.messages[room] = Set(after.entries.map(\.id).filter { left[$0] == nil })
            let redacted = commits.filter { $0.room == room }.flatMap(\.redacted)
            loss.redacted[room] = Set(redacted.filter { left[$0] == .message })
            self.lastLog += 1
            let id = LogID(rawValue: self.lastLog, generation: 1)
            self.rooms[before.id] = nil
            self.rooms[id] = room
            self.logs[room] = MemoryLog(id: id, epoch: Epoch(rawValue: 0xe0 + UInt64(self.lastLog)), after: before, [])
        }
        return loss
    }

    /// Nothing is stored of a log that nothing was appended to.
    fileprivate mutating func forgetEmptyLogs() {
        for (room, log) in self.logs where log.position.seq == 0 {
            self.logs[room] = nil
            self.rooms[log.id] = nil
        }
    }
}
