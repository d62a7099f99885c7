import DequeModule
import NIOConcurrencyHelpers
package import RoomCore
package import RoomModel

/// A `RoomEngine` in memory for tests: its calls are done at once, or when the test releases them, and can be told to
/// fail.
package final class MemoryEngine: RoomEngine {
    package enum Call: Hashable, Sendable {
        case open
        case append
        case read
        case clear
        case rooms
        case find
        case importLog
        case store
    }

    package enum Fault: Sendable {
        case unavailable
        /// An append that is stored although it says that it was not.
        case unavailableButDone
        /// The log is no more: the next one begins another epoch.
        case reset
        case tooManyRooms
        case readOnly

        var error: EngineError {
            switch self {
            case .unavailable, .unavailableButDone: .unavailable
            case .reset: .reset
            case .tooManyRooms: .tooManyRooms
            case .readOnly: .readOnly
            }
        }
    }

    struct State: Sendable {
        var logs: [RoomKey: MemoryLog] = [:]
        var rooms: [LogID: RoomKey] = [:]
        /// Messages with a key that were cleared.
        var cleared: [RoomKey: [LogEntry]] = [:]
        var lastLog: Int64 = 0
        /// Of a node that follows them.
        var partitions: [Int: ProjectedPartition] = [:]
        var isHolding = false
        var isHoldingAnswers = false
        var held: Deque<Held> = []
        var faults: [Call: [Fault]] = [:]
        var appends: [[UInt64]] = []
        var durabilities: [Durability] = []
        var calls: [Call] = []
        var closed: [RoomKey] = []
        var askers: [ReadAsker] = []
        /// `nil`: no crash is to come.
        var record: CrashRecord?
    }

    struct Held: Sendable {
        var call: Call
        var run: @Sendable () -> Void
    }

    let state = NIOLockedValueBox(State())
    let clock: ManualClock

    /// - Parameter canCrash: it notes what `crash` has to know.
    package init(clock: ManualClock, canCrash: Bool = false) {
        self.clock = clock
        if canCrash { self.state.withLockedValue { $0.record = CrashRecord() } }
    }

    // MARK: Control by a test

    /// From now on calls wait for `release`.
    package func hold() {
        self.state.withLockedValue { $0.isHolding = true }
    }

    /// From now on calls are done at once, and their answers wait for `release`.
    package func holdAnswers() {
        self.state.withLockedValue { $0.isHoldingAnswers = true }
    }

    /// Does the calls that wait, and from now on each at once.
    package func release() {
        self.state.withLockedValue { state in
            state.isHolding = false
            state.isHoldingAnswers = false
        }
        while self.releaseOne() {}
    }

    /// Does the oldest call that waits.
    ///
    /// - Returns: false where none waits.
    @discardableResult
    package func releaseOne() -> Bool {
        guard let next = self.state.withLockedValue({ $0.held.popFirst() }) else { return false }
        next.run()
        return true
    }

    /// Does the newest call that waits: a file's reads and writes overtake each other.
    package func releaseLast() {
        self.state.withLockedValue { $0.held.popLast() }?.run()
    }

    /// The calls that were done, in order.
    package var calls: [Call] { self.state.withLockedValue { $0.calls } }

    /// The rooms whose logs are not used any more, in order.
    package var closed: [RoomKey] { self.state.withLockedValue { $0.closed } }

    /// On whose behalf logs were opened and read, in order.
    package var askers: [ReadAsker] { self.state.withLockedValue { $0.askers } }

    package var waiting: [Call] { self.state.withLockedValue { $0.held.map(\.call) } }

    /// The next call of this kind that is done fails.
    package func failNext(_ call: Call, _ fault: Fault) {
        self.state.withLockedValue { $0.faults[call, default: []].append(fault) }
    }

    /// No call fails any more.
    package func forgetFaults() {
        self.state.withLockedValue { $0.faults = [:] }
    }

    /// The file is moved aside: every log is gone, and its next life has another epoch.
    package func loseAll() {
        self.state.withLockedValue { state in
            state.logs = [:]
            state.rooms = [:]
        }
    }

    /// The oldest messages of a room are gone, up to this one.
    package func trim(_ room: RoomKey, through seq: UInt64) {
        self.state.withLockedValue { $0.logs[room]?.trim(through: seq) }
    }

    /// These messages are found damaged from now on, wherever they are read.
    package func damage(_ room: RoomKey, _ seqs: ClosedRange<UInt64>) {
        self.state.withLockedValue { $0.logs[room]?.damaged = seqs }
    }

    package func entries(of room: RoomKey) -> [LogEntry] {
        self.state.withLockedValue { $0.logs[room]?.entries ?? [] }
    }

    package func epoch(of room: RoomKey) -> Epoch? {
        self.state.withLockedValue { $0.logs[room]?.epoch }
    }

    /// The `seq` of each append that was stored, batch by batch.
    package var appends: [[UInt64]] { self.state.withLockedValue { $0.appends } }

    /// And how durable it had to be.
    package var durabilities: [Durability] { self.state.withLockedValue { $0.durabilities } }

    // MARK: RoomEngine

    package func open(
        _ room: RoomKey,
        retention: HistorySettings,
        keysSince: Int64,
        for asker: ReadAsker,
        completion: @escaping @Sendable (Result<OpenedLog, EngineError>) -> Void
    ) {
        self.perform(.open, completion) { state, _ in
            state.askers.append(asker)
            if state.logs[room] == nil {
                state.lastLog += 1
                let id = LogID(rawValue: state.lastLog, generation: 1)
                state.logs[room] = MemoryLog(id: id, epoch: Epoch(rawValue: 0xe0 + UInt64(state.lastLog)))
                state.rooms[id] = room
            }
            guard var opened = state.logs[room]?.opened(keysSince: keysSince) else { return .failure(.unavailable) }
            let cleared = state.cleared[room, default: []].filter { $0.id.milliseconds >= keysSince }
            opened.recentKeys = cleared.compactMap { $0.keyed(0) } + opened.recentKeys
            return .success(opened)
        }
    }

    package func close(_ room: RoomKey) {
        self.state.withLockedValue { $0.closed.append(room) }
    }

    package func append(
        _ batch: LogBatch,
        completion: @escaping @Sendable (Result<AppendReceipt, EngineError>) -> Void
    ) {
        self.perform(.append, completion) { state, _ in
            guard let room = state.rooms[batch.log] else { return .failure(.reset) }
            state.appends.append(batch.entries.map(\.seq))
            state.durabilities.append(batch.durability)
            let before = state.record == nil ? nil : state.logs[room]
            let result = state.logs[room]?.append(batch) ?? .failure(.reset)
            if let before { state.note(batch, in: room, before: before) }
            return result
        }
    }

    package func read(_ query: LogQuery, completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void) {
        self.perform(.read, completion) { state, _ in
            state.askers.append(query.asker)
            guard let room = state.rooms[query.log], let log = state.logs[room] else { return .failure(.reset) }
            return .success(log.page(query))
        }
    }

    package func clear(_ rooms: [RoomKey], completion: @escaping @Sendable (Result<Void, EngineError>) -> Void) {
        self.perform(.clear, completion) { state, _ in
            for room in rooms {
                guard let log = state.logs.removeValue(forKey: room) else { continue }
                state.rooms[log.id] = nil
                state.cleared[room, default: []] += log.keyed
                state.record?.removed(log.entries)
            }
            state.record?.synced()
            return .success(())
        }
    }

    package func importLog(
        _ part: LogImport,
        completion: @escaping @Sendable (Result<ImportReceipt, LogImportError>) -> Void
    ) {
        let imported: @Sendable (Result<Result<ImportReceipt, LogImportError>, EngineError>) -> Void = { result in
            completion((try? result.get()) ?? .failure(.unavailable))
        }
        self.perform(.importLog, imported) { state, now in .success(state.store(part, now: now)) }
    }

    package func rooms(
        in channel: ChannelID,
        completion: @escaping @Sendable (Result<[RoomName], EngineError>) -> Void
    ) {
        self.perform(.rooms, completion) { state, _ in
            let names = state.logs.keys.filter { $0.channel == channel }.map(\.room)
            return .success(names.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) })
        }
    }

    package func find(
        _ id: UniqueID,
        in log: LogID,
        completion: @escaping @Sendable (Result<UInt64?, EngineError>) -> Void
    ) {
        self.perform(.find, completion) { state, _ in
            guard let room = state.rooms[log], let found = state.logs[room] else { return .failure(.reset) }
            return .success(found.seq(of: id))
        }
    }

    func perform<Value: Sendable>(
        _ call: Call,
        _ completion: @escaping @Sendable (Result<Value, EngineError>) -> Void,
        _ work: @escaping @Sendable (inout State, _ now: Int64) -> Result<Value, EngineError>
    ) {
        let run: @Sendable () -> Void = { [clock] in
            completion(self.state.withLockedValue { $0.take(call, now: clock.now, work) })
        }
        let isHeld = self.state.withLockedValue { state in
            if state.isHoldingAnswers {
                let result = state.take(call, now: self.clock.now, work)
                state.held.append(Held(call: call) { completion(result) })
            } else if state.isHolding {
                state.held.append(Held(call: call, run: run))
            }
            return state.isHolding || state.isHoldingAnswers
        }
        if !isHeld { run() }
    }
}

extension MemoryEngine.State {
    /// Another log in place of the room's, with what that had where the part goes on with it.
    fileprivate mutating func store(_ part: LogImport, now: Int64) -> Result<ImportReceipt, LogImportError> {
        let earlier = self.logs[part.room]
        if let after = part.after {
            guard let earlier, earlier.position == after, earlier.isContinued(by: part.entries) else {
                return .failure(.movedOn)
            }
        } else if let earlier, !earlier.entries.isEmpty {
            return .failure(.occupied)
        }
        self.lastLog += 1
        let id = LogID(rawValue: self.lastLog, generation: 1)
        let epoch = Epoch(rawValue: 0xe0 + UInt64(self.lastLog))
        var log = MemoryLog(id: id, epoch: epoch, after: part.after == nil ? nil : earlier, part.entries)
        let batch = LogBatch(log: id, retention: part.retention, durability: .power, entries: part.entries)
        guard case .success(let receipt) = log.append(batch) else { return .failure(.unavailable) }
        if let earlier { self.rooms[earlier.id] = nil }
        self.logs[part.room] = log
        self.rooms[id] = part.room
        self.record?.synced()
        return .success(ImportReceipt(epoch: epoch, seq: log.position.seq, oldestSeq: receipt.oldestSeq))
    }

    fileprivate mutating func take<Value>(
        _ call: MemoryEngine.Call,
        now: Int64,
        _ work: (inout MemoryEngine.State, Int64) -> Result<Value, EngineError>
    ) -> Result<Value, EngineError> {
        self.calls.append(call)
        guard let fault = self.faults[call]?.first else { return work(&self, now) }
        self.faults[call]?.removeFirst()
        if case .unavailableButDone = fault { _ = work(&self, now) }
        if case .reset = fault {
            for log in self.logs.values { self.record?.removed(log.entries) }
            self.record?.synced()
            self.logs = [:]
            self.rooms = [:]
        }
        return .failure(fault.error)
    }
}
