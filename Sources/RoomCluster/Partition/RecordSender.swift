import DequeModule
import NIOCore
package import RoomCore
import RoomModel

/// Gathers what the clients of a node do in one partition into records, and sees to it that each record counts once and in its
/// order, whatever becomes of an append.
///
/// The log is the receiver of go-back-N: a record counts if its number is the next one of its node, wherever it stands
/// (`AcceptedRecords`). If none of the node's records has been seen for too long, the oldest is sent again, with the number of
/// the attempt. When that copy comes and records that were sent before it have not counted, they were lost or ignored, and are
/// sent again. If the log was only slow, nothing else has been sent.
///
/// Pure: times come in, monotonic and in nanoseconds, and what is to be done goes out. How much may wait here is bounded by who
/// adds (`CommitBacklog`).
package struct RecordSender: Sendable {
    enum Action: Equatable, Sendable {
        /// Append the bytes to the log.
        case append(ByteBuffer)
        /// Tell those who have waited too long that nobody knows what has become of their commands. These may still be applied.
        case answer([Answer])
    }

    /// To a command of a room.
    struct Answer: Equatable, Sendable {
        var room: RoomKey
        var answer: RoomAnswer
    }

    private let node: NodeNumber
    private var draft = RecordDraft()
    /// When the first command of the draft came.
    private var draftSince: UInt64 = 0
    /// The records that have not counted, in their order: those on their way, then those that wait.
    private var pending: Deque<Pending> = []
    /// How many of them are on their way.
    private var underWay = 0
    /// How many of them have been answered already.
    private var answered = 0
    /// The number of the newest record that has counted.
    package private(set) var counted: UInt64 = 0
    /// How many copies were sent of all records.
    private var copies: UInt64 = 0
    private var retransmission = RetransmissionTimer()
    /// When a record has counted last, or the first one was sent of those that are on their way.
    private var progress: UInt64 = 0
    /// The answer to what is added once no record of this node's can be seen to count any more.
    private var ended: RequestError?

    private struct Pending: Sendable {
        var bytes: ByteBuffer
        /// When its first command came.
        let since: UInt64
        var attempt: UInt8 = 0
        /// The copies that were sent of all records until its newest one.
        var copy: UInt64 = 0
        var sentAt: UInt64 = 0
    }

    /// So many records of a node and partition may be on their way; what comes meanwhile makes the next one.
    private static let window = 8
    /// A command that has not counted after that is answered.
    private static let longestWait: UInt64 = 15_000_000_000
    /// A record gathers commands no longer than that, so that each of them waits about `longestWait`.
    private static let longestGathering: UInt64 = 1_000_000_000

    init(node: NodeNumber) {
        self.node = node
    }

    /// Since when something is on its way and nothing counts; `nil`: nothing is on its way.
    var waitsSince: UInt64? { self.underWay > 0 ? self.progress : nil }

    /// All that was added has counted.
    package var isIdle: Bool { self.draft.isEmpty && self.pending.isEmpty }

    // MARK: Commands in

    /// Nothing that is added is sent any more: this node does not live, or does not follow the log.
    var isGone: Bool { self.ended != nil }

    /// Adds a command; the answer to it if the node is gone.
    package mutating func add(_ entry: PartitionRecord.Command, now: UInt64) -> RoomAnswer? {
        if let ended { return Self.refusal(of: entry.command, in: entry.room, ended) }
        if now > self.draftSince + Self.longestGathering { self.completeDraft() }
        if self.draft.isEmpty { self.draftSince = now }
        if !self.draft.add(entry) {
            self.completeDraft()
            self.draftSince = now
            self.draft.append(entry)
        }
        self.newestCommand = self.nextNumber
        return nil
    }

    /// Adds a tick: the partition had no record for too long, and something there waits for a time.
    mutating func addTick(now: UInt64) { self.add(.tick, now: now) }

    /// Adds that another node does not live any more.
    mutating func addGone(_ node: NodeNumber, now: UInt64) { self.add(.gone(node), now: now) }

    /// Adds that the log has the text of this redacted message no more.
    mutating func addErased(_ message: UniqueID, now: UInt64) { self.add(.erased(message), now: now) }

    /// Adds that messages of a room are not kept any more.
    mutating func addPruned(_ room: RoomKey, through place: Position, now: UInt64) {
        self.add(.pruned(room, through: place), now: now)
    }

    /// Adds a part of an export that becomes messages of a room.
    mutating func addImport(_ part: ImportRecord, now: UInt64) { self.add(.imported(part), now: now) }

    private mutating func add(_ content: PartitionRecord.Content, now: UInt64) {
        guard !self.isGone else { return }
        self.completeDraft()
        let record = PartitionRecord(node: self.node, number: self.nextNumber, content: content)
        self.pending.append(Pending(bytes: record.encoded, since: now))
    }

    private mutating func completeDraft() {
        guard !self.draft.isEmpty else { return }
        let bytes = PartitionRecord.encoded(self.draft, node: self.node, number: self.nextNumber)
        self.pending.append(Pending(bytes: bytes, since: self.draftSince))
        self.draft = RecordDraft()
    }

    /// The number of the record that was added last, whatever it has.
    var newest: UInt64 { self.draft.isEmpty ? self.nextNumber - 1 : self.nextNumber }

    /// The number of the record that has the room's command which was added last: what only asks is answered behind that, and waits for no tick.
    package private(set) var newestCommand: UInt64 = 0

    private var nextNumber: UInt64 { self.counted + UInt64(self.pending.count) + 1 }

    // MARK: Records out

    /// The end of a turn: sends what waits, as far as not too much is on its way.
    mutating func flush(now: UInt64) -> [Action] {
        var actions: [Action] = []
        while self.underWay < Self.window {
            if self.underWay == self.pending.count { self.completeDraft() }
            guard self.underWay < self.pending.count else { break }
            if self.underWay == 0 {
                self.retransmission.begins(now: now)
                self.progress = now
            }
            self.underWay += 1
            actions.append(self.send(self.underWay - 1, now: now))
        }
        return actions
    }

    private mutating func send(_ index: Int, now: UInt64) -> Action {
        self.copies += 1
        self.pending[index].copy = self.copies
        self.pending[index].sentAt = now
        return .append(self.pending[index].bytes)
    }

    private mutating func sendAgain(_ index: Int, now: UInt64) -> Action {
        let attempt = self.pending[index].attempt
        // 0 is the first copy only
        self.pending[index].attempt = attempt == .max ? 1 : attempt + 1
        self.pending[index].bytes.setInteger(self.pending[index].attempt, at: PartitionRecord.attemptOffset)
        return self.send(index, now: now)
    }

    // MARK: What the log shows

    /// What a record of this node's that is seen in the log means for its sender.
    struct Seen: Equatable, Sendable {
        /// Its commands were answered before (`Action.answer`): what its rooms answer to them goes to nobody. A client that was
        /// not let in, is a member now, and has not asked again has to leave. Whoever is `detached` or `removed` by it is told.
        var wasAnswered: Bool
        /// When it was sent, at the earliest, if it counts now.
        var sentAt: UInt64?
        var actions: [Action]
    }

    /// The log has shown a copy of a record of this node's.
    ///
    /// - Parameter counts: what `AcceptedRecords` says of it.
    mutating func recordSeen(number: UInt64, attempt: UInt8, counts: Bool, now: UInt64) -> Seen {
        let lost = self.copiesSent(before: number, attempt)
        let counted = counts ? self.counted(number, attempt, now: now) : nil
        let again = lost.map { self.sendAgain(sentBefore: $0, now: now) } ?? []
        let actions = again + self.flush(now: now)
        return Seen(wasAnswered: counted?.wasAnswered ?? false, sentAt: counted?.sentAt, actions: actions)
    }

    /// - Returns: whether it was answered already, and when it was sent; `nil`: it is none of this sender's.
    private mutating func counted(
        _ number: UInt64,
        _ attempt: UInt8,
        now: UInt64
    ) -> (wasAnswered: Bool, sentAt: UInt64)? {
        guard number == self.counted + 1, self.underWay > 0, let first = self.pending.popFirst() else { return nil }
        self.counted = number
        self.underWay -= 1
        self.progress = now
        // of a repeated one nobody knows which copy it was that counts
        self.retransmission.seen(after: first.attempt == 0 ? max(now, first.sentAt) - first.sentAt : nil, now: now)
        // when an earlier copy was sent nobody remembers
        let sentAt = attempt == first.attempt ? first.sentAt : first.since
        guard self.answered > 0 else { return (false, sentAt) }
        self.answered -= 1
        return (true, sentAt)
    }

    /// A copy that was sent again has come: what was sent before it has come too, or does not come.
    ///
    /// - Returns: how many copies were sent before it; `nil`: it says nothing.
    private func copiesSent(before number: UInt64, _ attempt: UInt8) -> UInt64? {
        guard attempt > 0, number > self.counted, number - self.counted <= UInt64(self.underWay) else { return nil }
        let record = self.pending[Int(number - self.counted) - 1]
        return record.attempt == attempt ? record.copy : nil
    }

    private mutating func sendAgain(sentBefore copy: UInt64, now: UInt64) -> [Action] {
        (0..<self.underWay).filter { self.pending[$0].copy < copy }.map { self.sendAgain($0, now: now) }
    }

    /// The log has shown that this node does not live any more: nothing that has not counted will count.
    ///
    /// - Returns: the answers to all that nobody has answered.
    mutating func nodeGone() -> [Answer] { self.end(Self.gone, answering: Self.gone) }

    /// This node follows the log no more: nobody here will know what has become of what was sent.
    ///
    /// - Returns: the answers to all that nobody has answered.
    mutating func logEnded() -> [Answer] { self.end(Self.notFollowing, answering: Self.unknown) }

    private mutating func end(_ error: RequestError, answering pending: RequestError) -> [Answer] {
        guard !self.isGone else { return [] }
        self.completeDraft()
        let answers = self.pending.dropFirst(self.answered).flatMap { Self.answers(to: $0, pending) }
        self.ended = error
        (self.pending, self.underWay, self.answered) = ([], 0, 0)
        return answers
    }

    // MARK: What time brings

    /// When `timePassed` has to be called; `nil`: not before something is added.
    var deadline: UInt64? {
        let answer: UInt64? =
            if self.answered < self.pending.count {
                self.pending[self.answered].since + Self.longestWait
            } else {
                self.draft.isEmpty ? nil : self.draftSince + Self.longestWait
            }
        guard self.underWay > 0 else { return answer }
        return min(self.retransmission.end, answer ?? .max)
    }

    /// Answers what has waited for too long, and sends the oldest record again if none was seen for too long.
    mutating func timePassed(now: UInt64) -> [Action] {
        if !self.draft.isEmpty, now >= self.draftSince + Self.longestWait { self.completeDraft() }
        var answers: [Answer] = []
        while self.answered < self.pending.count, now >= self.pending[self.answered].since + Self.longestWait {
            answers += Self.answers(to: self.pending[self.answered], Self.unknown)
            self.answered += 1
        }
        var actions: [Action] = answers.isEmpty ? [] : [.answer(answers)]
        if self.underWay > 0, now >= self.retransmission.end {
            self.retransmission.inVain(now: now)
            actions.append(self.sendAgain(0, now: now))
        }
        return actions + self.flush(now: now)
    }

    /// The commands are read from the record's bytes: hardly any waits for so long, so none is kept beside them.
    private static func answers(to record: Pending, _ error: RequestError) -> [Answer] {
        guard let read = try? PartitionRecord(decoding: record.bytes), case .commands(let entries) = read.content else {
            // a tick, a dead node and the like, for which nobody waits: what this sender has written can be read
            return []
        }
        return entries.compactMap { entry in
            self.refusal(of: entry.command, in: entry.room, error).map { Answer(room: entry.room, answer: $0) }
        }
    }

    /// That of a join names the room: its record may be of many.
    private static func refusal(of command: RoomCommand, in room: RoomKey, _ error: RequestError) -> RoomAnswer? {
        guard case .join(let join) = command else { return command.refused(error, in: room.room) }
        return RoomAnswer(to: join.connection, .joinRefused(join, error.about(room.room)))
    }

    private static let unknown = RequestError(
        .storageUnavailable,
        "it is unknown whether the cluster has stored this; ask again to be sure, a message with the same message_id",
        retryAfterMilliseconds: 1_000
    )

    private static let notFollowing = RequestError(
        .storageUnavailable,
        "this node cannot follow the cluster's log any more, and this was not stored; connect to another node",
        retryAfterMilliseconds: 1_000
    )

    private static let gone = RequestError(
        .storageUnavailable,
        "this node was taken for dead by the others, and this was not stored; ask again",
        retryAfterMilliseconds: 1_000
    )
}
