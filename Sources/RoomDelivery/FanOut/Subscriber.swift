import NIOCore
import RoomCore
import RoomModel

/// A member's place in a room's log. It holds no messages, so one that lags costs no memory of its own.
final class Subscriber {
    let member: Member
    let replica: Replica
    var overflow: OverflowPolicy
    /// The member has asked to be shown who is in the room.
    var asksPresence: Bool
    let writer: ConnectionWriter
    let wireFormat: WireFormat
    var state: State {
        didSet {
            self.isLive = self.isStateLive
            self.condition = self.state.condition
            let change = self.state.listBytes - oldValue.listBytes
            if change != 0 { self.member.subscriptions.listChanged(by: change, of: self) }
        }
    }
    /// The room has answered another subscribe: what comes before that answer is sent first.
    var renewal: Renewal? {
        didSet {
            self.isLive = self.isStateLive
            let change = (self.renewal?.listBytes ?? 0) - (oldValue?.listBytes ?? 0)
            if change != 0 { self.member.subscriptions.listChanged(by: change, of: self) }
        }
    }
    /// It has left: it gets no chunk from this one on.
    var endChunk: Int? {
        didSet { self.isLive = self.isStateLive }
    }
    private(set) var isLive: Bool {
        didSet { if self.isLive != oldValue { self.member.subscriptions.changed(self) } }
    }
    private(set) var condition: SubscriberCondition {
        didSet { if self.condition != oldValue { self.replica.changed(self, from: oldValue) } }
    }
    /// The place in the window from which it gets the next entries.
    var cursor: Cursor
    /// The newest message it has got.
    var lastSeq: UInt64
    /// It is sent every message after this one.
    var completeAfter: UInt64
    /// Its index in the replica's list.
    var slot = 0
    /// How many of the replica's changes it knows of.
    var changesTaken = 0
    /// Its subscribe is answered: it begins when its connection is flushed.
    var isAnswered = false
    /// The reply to its subscribe, where its list of members comes first.
    var heldReply: HeldReply?
    /// It asks where to go on since the broker has kept it waiting, and not since it reads slowly.
    var wasKeptWaiting = false
    /// The subscriber has begun and not had all that there was yet, and its socket was never full.
    var isBeginning = false
    /// The log was found to go on further than it is going to get.
    var isShortOfLog = false
    /// It has a place among those who want a page of the store, or its page is on its way.
    var awaitsPage = false

    enum State {
        /// Its subscribe names more rooms, and not all have answered; or it begins when its connection is flushed.
        case held(Admission)
        /// Gets what is behind its cursor.
        case live
        /// Gets only the stored messages up to the cursor, then becomes live.
        case replaying(until: Cursor)
        /// Gets messages from the store, then becomes live at its cursor.
        case reading(StoreReplay)
        /// Has fallen behind the window and asked the owner where to go on.
        case resyncing

        /// The bytes of the list of members that waits in it.
        var listBytes: Int {
            if case .held(let admission) = self { admission.listBytes } else { 0 }
        }

        var condition: SubscriberCondition {
            switch self {
            case .held: .joining
            case .live: .live
            case .replaying: .window
            case .reading: .store
            case .resyncing: .lost
            }
        }
    }

    /// A subscriber whose subscribe is not answered yet.
    init(member: Member, replica: Replica, overflow: OverflowPolicy, admission: Admission, cursor: Cursor) {
        self.member = member
        self.writer = member.connection.writer
        self.wireFormat = member.connection.wireFormat
        self.state = .held(admission)
        self.isLive = false
        self.condition = self.state.condition
        self.replica = replica
        self.overflow = overflow
        self.asksPresence = admission.asksPresence
        self.cursor = cursor
        self.lastSeq = admission.grant.seq
        self.completeAfter = admission.grant.start
    }

    /// The bytes of the lists of members that wait in it.
    var listBytes: Int { self.state.listBytes + (self.renewal?.listBytes ?? 0) }

    private var isStateLive: Bool {
        if case .live = self.state { self.renewal == nil && self.endChunk == nil } else { false }
    }

    /// It has left, and has got all that came before.
    var hasEnded: Bool { self.endChunk.map { self.cursor.chunk >= $0 } ?? false }

    /// All of the chunk is written or on its way.
    func passed(_ chunk: Chunk) {
        self.cursor = Cursor(chunk: chunk.number + 1, offset: 0)
        self.lastSeq = chunk.lastSeq
    }

    /// It has whole chunks of the live log, and no place within one that another chunk could move.
    var isBetweenChunks: Bool { self.isLive && self.cursor.offset == 0 && self.renewal == nil }

    /// A message was redacted: a page of the store that was asked for before may still have its text.
    func redacted(_ seq: UInt64) {
        guard case .reading(var replay) = self.state, replay.isReading, seq > self.lastSeq, seq <= replay.through else {
            return
        }
        replay.isStale = true
        self.state = .reading(replay)
    }

    /// A chunk of the window was put in the place of another one.
    func moved(from old: Chunk, to new: Chunk) {
        self.cursor = self.cursor.moved(from: old, to: new, self.wireFormat)
        self.renewal?.cursor.move(from: old, to: new, self.wireFormat)
        switch self.state {
        case .replaying(let end):
            self.state = .replaying(until: end.moved(from: old, to: new, self.wireFormat))
        case .held, .live, .reading, .resyncing: return
        }
    }

    /// Takes a chunk in one write, if it is the next one and nothing is in the way: what nearly all deliveries are.
    ///
    /// - Parameter bytes: the chunk's, all of which it is to get.
    /// - Returns: how many bytes it takes; `nil` where `deliver` has to look closer.
    func tryWrite(_ chunk: Chunk, _ bytes: ByWireFormat<UnsafeRawBufferPointer?>) -> Int? {
        guard self.isNext(chunk), let bytes = bytes[self.wireFormat], let taken = self.writer.offer(bytes) else {
            return nil
        }
        if taken == bytes.count {
            self.passed(chunk)
        } else {
            self.wrote(taken, of: chunk)
        }
        return bytes.count
    }
}

extension Subscriber {
    /// All before the chunk is written or on its way.
    private func isNext(_ chunk: Chunk) -> Bool {
        self.isLive && self.cursor.chunk == chunk.number && self.cursor.offset == 0 && chunk.seqBefore <= self.lastSeq
    }

    /// Goes past a chunk that has nothing for it, if it is the next one.
    func trySkip(_ chunk: Chunk) -> Bool {
        guard chunk.reach == .onRequest, !self.asksPresence, self.isNext(chunk), self.isUpToDate else { return false }
        self.passed(chunk)
        return true
    }
}

/// The reply to a subscribe that waits for its place behind the list of members. A class, since hardly any subscriber has one.
final class HeldReply {
    let callback: Int64
    /// The client has said where it stopped.
    let isRecovery: Bool
    /// Whether the room shows who is in it; `nil` where the client has not asked.
    let presence: Bool?

    init(callback: Int64, isRecovery: Bool, presence: Bool?) {
        self.callback = callback
        self.isRecovery = isRecovery
        self.presence = presence
    }
}

/// The `index` of `history_message` frames, 0 to one less than there are (protocol §1).
enum HistoryNumbering: Hashable {
    /// Counts up; the next one's index.
    case oldestFirst(next: Int)
    /// Counts down to 0 for the newest message at or below `newest`; these redactions are no messages.
    case newestFirst(newest: UInt64, redactions: [UInt64])

    init(_ order: HistoryOrder, newest: UInt64, redactions: [UInt64]) {
        switch order {
        case .oldestFirst: self = .oldestFirst(next: 0)
        case .newestFirst: self = .newestFirst(newest: newest, redactions: redactions)
        }
    }

    /// The index of a message that is so many places behind the last one that was sent.
    func index(of seq: UInt64, offset: Int) -> Int {
        switch self {
        case .oldestFirst(let next): next + offset
        case .newestFirst(let newest, let redactions):
            Int(clamping: newest - min(seq, newest)) - redactions.count { $0 > seq }
        }
    }

    func advanced(by count: Int) -> HistoryNumbering {
        switch self {
        case .oldestFirst(let next): .oldestFirst(next: next + count)
        case .newestFirst: self
        }
    }
}

/// The messages that a subscriber still gets from the store.
struct StoreReplay {
    /// The newest message to get.
    var through: UInt64
    /// For `history_message` frames: how they are numbered. `nil` for `publish` frames.
    var numbering: HistoryNumbering?
    /// A page has been asked for.
    var isReading = false
    /// The page that was asked for is not what the log has any more: it is asked for again.
    var isStale = false
    /// The log has to be opened again before the next page is asked for.
    var awaitsLog = false
}
