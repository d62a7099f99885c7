import DequeModule
import NIOCore
package import RoomModel

/// The one place that orders what happens in a room: messages, presence, subscribers coming and going.
///
/// Pure and owned by the room's owner shard. Commands wait here until `advance` takes them as a batch; while a batch is
/// at the store, or the log is being opened, they gather for the next one (group commit).
package struct Room: Equatable {
    package let key: RoomKey
    package private(set) var settings: RoomSettings
    /// Settings that came while the store had something to do for the room; they are few.
    private var nextSettings: NextSettings?
    package internal(set) var phase: Phase
    package internal(set) var epoch: Epoch
    package internal(set) var lastSeq: UInt64 = 0
    /// The oldest message that the store still serves.
    package internal(set) var oldestStored: UInt64 = 1
    /// The message before it went by its age, and not by number or pruning.
    private(set) var hasExpired = false
    /// Messages up to this one were pruned: the memory window may have them still, but nobody gets them.
    package internal(set) var prunedThrough: UInt64 = 0
    package internal(set) var log: LogID?
    /// The newest message before the batch that is at the store.
    private var committedSeq: UInt64 = 0
    package internal(set) var members = RoomMembers()
    /// The members that have a connection.
    package internal(set) var subscribers = SubscriberCounts()
    package internal(set) var keys: PublishKeys
    package internal(set) var redactions = RedactionIndex()
    /// The command for which the store is clearing the room, until the members are told.
    var clearing: ClearCommand?
    /// Epochs that ended by clearing the room, the newest last.
    var clearedEpochs: Deque<Epoch> = []
    var waiting: Deque<RoomWork> = []
    /// The bytes of the messages that wait, with their senders.
    package private(set) var waitingBytes = 0
    private var waitingJoins = 0
    package internal(set) var rules = RoomRules()
    var slowMode = SlowMode()
    /// The bytes that may wait for a commit.
    private let backlogLimit: Int
    /// The most messages that a subscribe replays.
    let historyReplay: Int

    /// A member: who it is, and the connection that subscribes for it (`nil` while it lingers).
    package struct Member: Equatable, Sendable {
        package var sender: Sender
        package var connection: ConnectionRef?
        package var wireFormat: WireFormat
        package var asksPresence = false
        /// `JoinCommand.resumes`
        package var resumes: UInt32 = 0
    }

    /// In a box: a room seldom has some.
    private indirect enum NextSettings: Equatable {
        case settings(RoomSettings, epoch: Epoch)
    }

    package enum Phase: Equatable, Sendable {
        /// Has a log in the store that has not been opened. Can transition to: `opening`, `clearing`.
        case closed
        /// Can transition to: `ready`, `degraded`.
        case opening
        /// Can transition to: `committing`, `clearing`, `closed` (the log is no more).
        case ready
        /// A batch is at the store. Can transition to: `ready`, `closed` (failed: what is stored has to be read again).
        case committing
        /// The store is removing all messages. Can transition to: `opening`, `ready` (without history), `closed` (failed:
        /// what is stored has to be read again).
        case clearing
        /// The log could not be opened: all but stored messages works. Can transition to: `opening`, `clearing`.
        case degraded
    }

    /// `epoch` is that of a room without history; one with history takes its log's.
    package init(key: RoomKey, settings: RoomSettings, epoch: Epoch, limits: BrokerLimits) {
        self.key = key
        self.settings = settings
        self.epoch = epoch
        self.backlogLimit = limits.backlogPerRoom
        self.historyReplay = limits.historyReplay
        self.keys = PublishKeys(capacity: settings.publishKeys)
        self.phase = settings.history == nil ? .ready : .closed
    }

    package var hasHistory: Bool { self.settings.history != nil }

    /// Commands wait for their turn.
    package var hasWaiting: Bool { !self.waiting.isEmpty }

    /// The connection whose command is next, where it is one's.
    package var firstToWait: ConnectionRef? { self.waiting.first?.connection }

    /// Nothing is under way and nobody is here.
    package var isDormant: Bool {
        guard self.members.isEmpty, self.waiting.isEmpty else { return false }
        switch self.phase {
        case .closed, .ready, .degraded: return true
        case .opening, .committing, .clearing: return false
        }
    }

    // MARK: Commands in, batches out

    /// Takes the command; the answer to it where too much waits for the store already.
    ///
    /// Rules and settings that nothing waits for, or only what has no place in the order yet, hold at once: they are no
    /// reason to open the log.
    ///
    /// - Parameter left: what all rooms may still let wait.
    package mutating func enqueue(_ command: RoomCommand, left: Int = .max) -> RoomAnswer? {
        switch command {
        case .publish(let publish):
            guard self.waitingBytes + publish.size <= min(self.backlogLimit, left) else {
                return publish.refusedForTooMuch(in: self.key.room)
            }
            self.waitingBytes += publish.size
        case .join: self.waitingJoins += 1
        case .rules(let rules) where self.waiting.isEmpty:
            self.adopt(rules)
            return nil
        case .settings(let settings, let epoch):
            self.settingsChanged(settings, epoch: epoch)
            return nil
        default: break
        }
        self.waiting.append(.command(command))
        return nil
    }

    package enum Action: Equatable {
        case open
        /// Have the store remove all messages.
        case clear
        /// Take what waits (`takeBatch`).
        case take
        case none
    }

    /// The action to take next; to be called again after a batch that needs no commit, until `.none`.
    package mutating func advance() -> Action {
        guard !self.waiting.isEmpty else { return .none }
        if self.beginsClearing() { return .clear }
        switch self.phase {
        case .opening, .committing, .clearing:
            return .none
        case .closed:
            self.phase = .opening
            return .open
        case .degraded:
            guard !self.waiting.contains(where: self.needsStore) else {
                self.phase = .opening
                return .open
            }
            return .take
        case .ready:
            return .take
        }
    }

    /// Whether the next batch could give the room its first member: a turn has to say then whether it may (`hasPlace`).
    package var mayGetMembers: Bool { self.members.isEmpty && self.waitingJoins > 0 }

    /// Forms a batch of what waits.
    ///
    /// - Parameters:
    ///   - maxBytes: of the messages published in it.
    ///   - maxCommands: of all other kinds.
    package mutating func takeBatch(
        _ turn: RoomTurn,
        maxBytes: Int = 192 * 1024,
        maxCommands: Int = 200
    ) -> RoomBatch {
        self.committedSeq = self.lastSeq
        self.slowMode.batchBegins()
        var batch = RoomBatch(
            turn,
            seqBefore: self.lastSeq,
            formats: self.subscribers.formats,
            showsAuthData: self.settings.showsAuthData
        )
        batch.entries.reserveCapacity(self.waiting.count)
        var joins = GatheredJoins()
        var (bytes, commands) = (0, 0)
        while bytes < maxBytes, commands < maxCommands, !self.isClearNext, let work = self.waiting.popFirst() {
            if case .command(.publish(let publish)) = work {
                self.waitingBytes -= publish.size
                bytes += publish.size + Self.envelopeEstimate
            } else {
                if case .command(.join) = work { self.waitingJoins -= 1 }
                commands += 1
            }
            self.take(work, gathering: &joins, into: &batch)
            bytes += batch.takeListedBytes()
        }
        self.admit(&joins, into: &batch)
        self.members.dropList()
        self.forgetKeys(at: turn.steadySecond)
        if batch.needsCommit { self.phase = .committing }
        return batch
    }

    private func needsStore(_ work: RoomWork) -> Bool {
        guard case .command(let command) = work else { return false }
        return switch command {
        case .publish(let publish): !publish.isEphemeral
        case .history, .locate, .redact: true
        case .join(let join): join.needsStore
        default: false
        }
    }

    /// The bytes that a frame has beside the message and the sender, roughly.
    private static let envelopeEstimate = 200

    // MARK: Settings

    /// The room has other settings from now on: behind what is on its way to the store, before all else.
    ///
    /// Where history begins or ends, so does a log: its epoch is another one, and the members are told so by a gap.
    private mutating func settingsChanged(_ settings: RoomSettings, epoch: Epoch) {
        switch self.phase {
        case .opening, .committing, .clearing: self.nextSettings = .settings(settings, epoch: epoch)
        case .closed, .ready, .degraded: self.adopt(settings, epoch: epoch)
        }
    }

    /// Takes on the settings that had to wait.
    package mutating func adoptNextSettings() {
        guard case .settings(let settings, let epoch) = self.nextSettings else { return }
        self.nextSettings = nil
        self.adopt(settings, epoch: epoch)
    }

    private mutating func adopt(_ settings: RoomSettings, epoch: Epoch) {
        let (had, shownBefore) = (self.hasHistory, self.presenceAudience)
        self.settings = settings
        self.keys.capacity = settings.publishKeys
        switch (had, self.hasHistory) {
        case (false, true):
            self.phase = .closed
        case (true, false):
            self.endLog(epoch)
            return
        case (true, true), (false, false):
            break
        }
        self.presenceChanged(from: shownBefore)
    }

    /// From now on nothing is stored: another log begins.
    private mutating func endLog(_ epoch: Epoch) {
        self.phase = .ready
        self.log = nil
        self.epoch = epoch
        self.lastSeq = 0
        self.oldestStored = 1
        self.prunedThrough = 0
        self.redactions = RedactionIndex()
        self.keys.logEnded()
        self.tellLogReread(isNewEpoch: true)
    }

    private mutating func tellLogReread(isNewEpoch: Bool) {
        var isNewEpoch = isNewEpoch
        if case .followUp(.logReread(let wasNewEpoch)) = self.waiting.first {
            // what was to be told of a log that was opened just before is told by this
            self.waiting.removeFirst()
            isNewEpoch = isNewEpoch || wasNewEpoch
        }
        if !self.members.isEmpty { self.waiting.prepend(.followUp(.logReread(isNewEpoch: isNewEpoch))) }
    }

    // MARK: The store's answers

    /// - Parameters:
    ///   - publishes: those of the log that have a key, in ascending order.
    ///   - clock: it tells how long ago they came.
    package mutating func opened(
        _ log: OpenedLog,
        publishes: [StoredPublish] = [],
        clock: SteadyClock = SteadyClock()
    ) {
        guard self.phase == .opening else { return }
        self.phase = .ready
        let isAsBefore = self.epoch == log.epoch && self.lastSeq == log.lastSeq
        if self.clearing != nil {
            self.beganAnew()
        } else if !isAsBefore {
            self.tellLogReread(isNewEpoch: self.epoch != log.epoch)
        }
        if self.epoch != log.epoch { self.keys.logEnded() }
        self.epoch = log.epoch
        self.log = log.log
        self.lastSeq = log.lastSeq
        self.oldestStored = log.oldestSeq
        self.hasExpired = log.hasExpired
        self.prunedThrough = log.prunedThrough
        self.redactions = log.redactions
        for publish in publishes {
            let second = clock.second(of: publish.stamp.id.milliseconds)
            self.keys.insert(publish.key, seq: publish.seq, publish.stamp, at: second)
        }
    }

    /// Another log takes the place of the room's, between two batches.
    package mutating func replaceLog(_ log: OpenedLog) {
        self.phase = .opening
        self.opened(log)
    }

    /// The log cannot be opened: what needs it is refused, in its turn.
    mutating func openFailed() {
        guard self.phase == .opening else { return }
        self.phase = .degraded
        self.refuseClearing()
        for index in self.waiting.indices where self.needsStore(self.waiting[index]) {
            self.waiting[index] = self.refusal(of: self.waiting[index])
        }
        (self.waitingBytes, self.waitingJoins) = (0, 0)
        for work in self.waiting {
            switch work {
            case .command(.publish(let publish)):
                self.waitingBytes += publish.size
            case .command(.join): self.waitingJoins += 1
            default: break
            }
        }
    }

    private func refusal(of work: RoomWork) -> RoomWork {
        guard case .command(let command) = work else { return work }
        return command.refused(RoomAnswer.notReached, in: self.key.room).map { .followUp(.answer($0)) } ?? work
    }

    package mutating func committed(_ receipt: AppendReceipt) {
        guard self.phase == .committing else { return }
        self.phase = .ready
        self.oldestStored = receipt.oldestSeq
        self.hasExpired = receipt.hasExpired
        if let log = receipt.log { self.log = log }
    }

    /// The outcome of the batch is unknown: the next one is formed after the log has been read again.
    mutating func commitFailed() {
        guard self.phase == .committing else { return }
        self.lastSeq = self.committedSeq
        self.slowMode.batchFailed()
        self.phase = .ready
        self.logLost()
    }

    /// The log has to be opened again before it is used.
    mutating func logLost() {
        guard self.phase == .ready, self.hasHistory else { return }
        self.phase = .closed
        self.log = nil
        self.keys.removeAll()
    }

    /// A read has found that the oldest messages are gone.
    mutating func storeTrimmed(oldest: UInt64, hasExpired: Bool) {
        guard oldest > self.oldestStored else { return }
        self.oldestStored = oldest
        self.hasExpired = hasExpired
    }

    /// An operator has had the oldest messages of the log deleted, up to this one.
    package mutating func pruned(through place: Position) {
        guard self.log != nil, place.epoch == self.epoch else { return }
        self.prunedThrough = max(self.prunedThrough, place.seq)
        self.storeTrimmed(oldest: place.seq + 1, hasExpired: false)
    }
}
