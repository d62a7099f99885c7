import NIOCore
import RoomModel
import RoomWire

/// The events that one reader of a room has not read yet. Pure, and bounded: when it is full, it drops new events and remembers
/// which messages they were. When the reader has caught up, these are fetched from the history or reported as a gap.
struct FeedBuffer {
    /// A range to ask the history for.
    struct Fetch: Equatable {
        let epoch: Epoch?
        let after: UInt64
        /// Messages up to here were seen and dropped.
        let through: UInt64
        /// How many fit.
        let limit: Int
    }

    /// Messages that were dropped, one range of one epoch.
    private struct Missing: Equatable {
        let epoch: Epoch?
        var first: UInt64
        var last: UInt64

        var epochText: String { self.epoch?.description ?? "" }
    }

    private let limit: RoomClient.Configuration.FeedBuffer
    private var events = CircularBuffer<IncomingEvent>()
    private(set) var bytes = 0
    private var missing: Missing?
    /// The request that the history has not answered yet.
    private var fetching: Fetch?
    /// The last page did not fit into the buffer.
    private var waitsForReader = false
    /// The members have changed, and the reader does not know it.
    private var isPresenceStale = false

    init(limit: RoomClient.Configuration.FeedBuffer) {
        self.limit = limit
    }

    var count: Int { self.events.count }

    // MARK: The room's side

    mutating func add(_ event: IncomingEvent, epoch: Epoch?) {
        switch event {
        case .message: self.addEntry(event, epoch)
        case .redacted(let redaction):
            self.bury(redaction)
            self.addEntry(event, epoch)
        case .cleared: self.clear(event)
        case .members, .joined, .left, .updated: self.addPresence(event)
        case .gap(let gap): self.add(gap)
        case .notice: self.addEntry(event, epoch)
        case .muteChanged: self.addMute(event)
        }
    }

    private mutating func addEntry(_ event: IncomingEvent, _ epoch: Epoch?) {
        if self.missing == nil, self.fits(event) {
            self.append(event)
        } else if let seq = event.seq {
            // A message without a place in the log, such as an ephemeral one, is useless later.
            self.miss(seq...seq, epoch)
        }
    }

    private mutating func addPresence(_ event: IncomingEvent) {
        if self.missing == nil, !self.isPresenceStale, self.fits(event) {
            self.append(event)
        } else {
            self.isPresenceStale = true
        }
    }

    /// A gap is always added: there is at most one for each lost connection.
    private mutating func add(_ gap: RoomGap) {
        guard let missing = self.missing else {
            self.append(.gap(gap))
            return
        }
        if let seqs = gap.seqs, gap.epoch == missing.epochText {
            // The history has a gap there, which the fetch will find.
            self.missing?.last = max(missing.last, seqs.upperBound)
        } else {
            self.giveUpMissing(gap.reason == .cleared ? .cleared : .epoch)
            self.append(.gap(gap))
        }
    }

    /// Replaces a message that the reader has not read yet by its tombstone.
    private mutating func bury(_ redaction: RoomRedaction) {
        let id = UniqueID(redaction.messageID)
        let place = self.events.firstIndex { if case .message(let message) = $0 { message.id == id } else { false } }
        guard let place, case .message(let message) = self.events[place] else { return }
        self.bytes -= self.events[place].size
        self.events[place] = .message(message.tombstone)
        self.bytes += self.events[place].size
    }

    /// Removes all messages, also those that wait for the history. The event is always added: there is more room than before.
    private mutating func clear(_ event: IncomingEvent) {
        self.missing = nil
        self.fetching = nil
        self.waitsForReader = false
        self.events.removeAll { $0.isOfLog }
        self.bytes = self.events.reduce(0) { $0 + $1.size }
        self.append(event)
    }

    /// Only the newest event about a mute counts, so there is at most one.
    private mutating func addMute(_ event: IncomingEvent) {
        if let earlier = self.events.firstIndex(where: { if case .muteChanged = $0 { true } else { false } }) {
            self.bytes -= self.events[earlier].size
            self.events.remove(at: earlier)
        }
        self.append(event)
    }

    private mutating func miss(_ seqs: ClosedRange<UInt64>, _ epoch: Epoch?) {
        // Another log, even if its epoch does not say so.
        if let missing, missing.epoch != epoch || seqs.lowerBound <= missing.last { self.giveUpMissing(.epoch) }
        if self.missing == nil {
            self.missing = Missing(epoch: epoch, first: seqs.lowerBound, last: seqs.upperBound)
        } else {
            self.missing?.last = seqs.upperBound
        }
    }

    private mutating func giveUpMissing(_ reason: RoomGap.Reason) {
        guard let missing else { return }
        self.append(.gap(RoomGap(epoch: missing.epochText, seqs: missing.first...missing.last, reason: reason)))
        self.missing = nil
        self.fetching = nil
    }

    // MARK: The reader's side

    mutating func next() -> IncomingEvent? {
        guard let event = self.events.popFirst() else { return nil }
        self.waitsForReader = false
        self.bytes -= event.size
        return event
    }

    /// The range to fetch now, when the reader has read half of the buffer. The answer goes to ``fetched(_:gap:hasMore:of:)`` or
    /// ``fetchFailed(_:)``.
    mutating func fetchIfDue() -> Fetch? {
        guard let missing, self.fetching == nil, !self.waitsForReader,
            self.events.count <= self.limit.count / 2, self.bytes <= self.limit.bytes / 2
        else { return nil }
        let limit = max(1, self.limit.count - self.events.count)
        let fetch = Fetch(epoch: missing.epoch, after: missing.first - 1, through: missing.last, limit: limit)
        self.fetching = fetch
        return fetch
    }

    /// Whether there is something for the reader.
    var hasNext: Bool { !self.events.isEmpty || self.isPresenceDue }

    /// Whether the reader should get a new list of members; resets it.
    mutating func takeStalePresence() -> Bool {
        guard self.isPresenceDue else { return false }
        self.isPresenceStale = false
        return true
    }

    private var isPresenceDue: Bool { self.isPresenceStale && self.missing == nil && self.events.isEmpty }

    /// Nothing will be fetched any more: adds a gap for the missing messages.
    mutating func end() {
        self.giveUpMissing(.slow)
    }

    // MARK: The history's answer

    /// - Parameters:
    ///   - entries: in ascending order, all after the fetch's `after`.
    ///   - gap: the damaged entries before them.
    ///   - hasMore: the history goes on behind them.
    mutating func fetched(_ entries: [IncomingEvent], gap: HistoryGap?, hasMore: Bool, of fetch: Fetch) {
        guard self.fetching == fetch else { return }  // benign race: the log was replaced
        self.fetching = nil
        if let gap, gap.seqs.lowerBound > 0 {
            self.tellGap(through: gap.seqs.lowerBound - 1, .trimmed)
            self.tellGap(through: gap.seqs.upperBound, RoomGap.Reason(rawValue: gap.reason))
        }
        for entry in entries {
            guard let seq = entry.seq, let missing = self.missing, seq >= missing.first else { continue }
            guard seq > missing.last || self.fits(entry) else {
                self.waitsForReader = true
                return
            }
            self.tellGap(through: seq - 1, .trimmed)
            guard self.missing != nil else { return }
            if case .redacted(let redaction) = entry { self.bury(redaction) }
            self.append(entry)
            self.missAfter(seq)
        }
        // It is useless to ask again for a page that has brought nothing, even if it says that there is more.
        let isStuck = self.missing?.first == fetch.after + 1
        if !hasMore || isStuck { self.tellGap(through: fetch.through, .trimmed) }
    }

    /// The history cannot be read.
    mutating func fetchFailed(_ fetch: Fetch, _ reason: RoomGap.Reason = .slow) {
        guard self.fetching == fetch else { return }
        self.giveUpMissing(reason)
    }

    /// The history has nothing from the first missing message up to here.
    private mutating func tellGap(through seq: UInt64, _ reason: RoomGap.Reason) {
        guard let missing, missing.first <= seq else { return }
        let last = min(seq, missing.last)
        self.append(.gap(RoomGap(epoch: missing.epochText, seqs: missing.first...last, reason: reason)))
        self.missAfter(last)
    }

    private mutating func missAfter(_ seq: UInt64) {
        guard let missing else { return }
        if seq < missing.last {
            self.missing?.first = seq + 1
        } else {
            self.missing = nil
        }
    }

    /// An event that is larger than the whole buffer fits into an empty one.
    private func fits(_ event: IncomingEvent) -> Bool {
        self.events.isEmpty
            || (self.events.count < self.limit.count && self.bytes + event.size <= self.limit.bytes)
    }

    private mutating func append(_ event: IncomingEvent) {
        self.events.append(event)
        self.bytes += event.size
    }
}

extension IncomingEvent {
    /// Whether it has a place in the log, or is about such places.
    fileprivate var isOfLog: Bool {
        switch self {
        case .gap, .redacted, .cleared: true
        case .message(let message): message.seq != nil
        case .members, .joined, .left, .updated, .notice, .muteChanged: false
        }
    }
}
