import NIOCore
import RoomModel

/// What one reader of a room has not read yet. Pure, and bounded: when it is full it drops what comes and remembers which
/// messages those were; when its reader has caught up, they are fetched from the history, or told as a gap.
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
    /// The question that the history has not answered yet.
    private var fetching: Fetch?
    /// What was fetched last did not fit beside what is buffered.
    private var waitsForReader = false
    /// Who is here has changed, and the reader has not heard of it.
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
        case .muted, .unmuted: self.addStanding(event)
        }
    }

    private mutating func addEntry(_ event: IncomingEvent, _ epoch: Epoch?) {
        if self.missing == nil, self.fits(event) {
            self.append(event)
        } else if let seq = event.seq {
            // What has no place in the log, such as an ephemeral message, is worth nothing later.
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

    /// A gap always finds room: there is at most one for each time the connection was lost.
    private mutating func add(_ gap: RoomGap) {
        guard let missing = self.missing else {
            self.append(.gap(gap))
            return
        }
        if let seqs = gap.seqs, gap.epoch == missing.epochText {
            // The history has a hole there, which the fetch will find.
            self.missing?.last = max(missing.last, seqs.upperBound)
        } else {
            self.giveUpMissing(gap.reason == .cleared ? .cleared : .epoch)
            self.append(.gap(gap))
        }
    }

    /// A message that its reader has not read yet is not shown to it any more.
    private mutating func bury(_ redaction: IncomingRedaction) {
        let place = self.events.firstIndex { $0.messageID == redaction.targetID }
        guard let place, case .message(let message) = self.events[place] else { return }
        self.bytes -= self.events[place].size
        self.events[place] = .message(message.tombstone)
        self.bytes += self.events[place].size
    }

    /// All messages are gone, those that wait for the reader or the history with them. It always finds room: behind it there
    /// is more than before.
    private mutating func clear(_ event: IncomingEvent) {
        self.missing = nil
        self.fetching = nil
        self.waitsForReader = false
        self.events.removeAll { $0.isOfLog }
        self.bytes = self.events.reduce(0) { $0 + $1.size }
        self.append(event)
    }

    /// Whether one may publish: only the newest word counts, so there is at most one.
    private mutating func addStanding(_ event: IncomingEvent) {
        if let earlier = self.events.firstIndex(where: \.isStanding) {
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

    /// What to fetch now, once the reader has read half of what there was. The answer goes to ``fetched(_:hasMore:of:)`` or
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

    /// Whether the reader should be told the members anew; asking takes it back.
    mutating func takeStalePresence() -> Bool {
        guard self.isPresenceDue else { return false }
        self.isPresenceStale = false
        return true
    }

    private var isPresenceDue: Bool { self.isPresenceStale && self.missing == nil && self.events.isEmpty }

    /// Nothing will be fetched any more: what is missing is told behind what is buffered.
    mutating func end() {
        self.giveUpMissing(.slow)
    }

    // MARK: The history's answer

    /// - Parameters:
    ///   - entries: in ascending order, all after the fetch's `after`.
    ///   - hasMore: the history goes on behind them.
    mutating func fetched(_ entries: [IncomingEvent], hasMore: Bool, of fetch: Fetch) {
        guard self.fetching == fetch else { return }  // benign race: the log was replaced
        self.fetching = nil
        for entry in entries {
            guard let seq = entry.seq, let missing = self.missing, seq >= missing.first else { continue }
            guard seq > missing.last || self.fits(entry) else {
                self.waitsForReader = true
                return
            }
            self.tellTrimmed(through: seq - 1)
            guard self.missing != nil else { return }
            if case .redacted(let redaction) = entry { self.bury(redaction) }
            self.append(entry)
            self.missAfter(seq)
        }
        // A page that has brought nothing is no use to ask for again, whatever it says of more.
        let isStuck = self.missing?.first == fetch.after + 1
        if !hasMore || isStuck { self.tellTrimmed(through: fetch.through) }
    }

    /// The history cannot be had.
    mutating func fetchFailed(_ fetch: Fetch, _ reason: RoomGap.Reason = .slow) {
        guard self.fetching == fetch else { return }
        self.giveUpMissing(reason)
    }

    /// The history has nothing from the first missing message up to here.
    private mutating func tellTrimmed(through seq: UInt64) {
        guard let missing, missing.first <= seq else { return }
        let last = min(seq, missing.last)
        self.append(.gap(RoomGap(epoch: missing.epochText, seqs: missing.first...last, reason: .trimmed)))
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
    fileprivate var messageID: UniqueID? {
        if case .message(let message) = self { message.id } else { nil }
    }

    /// It has a place in the log, or tells of such places.
    fileprivate var isOfLog: Bool {
        switch self {
        case .gap, .redacted, .cleared: true
        case .message(let message): message.seq != nil
        case .members, .joined, .left, .updated, .notice, .muted, .unmuted: false
        }
    }

    fileprivate var isStanding: Bool {
        switch self {
        case .muted, .unmuted: true
        case .message, .members, .joined, .left, .updated, .gap, .redacted, .cleared, .notice: false
        }
    }
}
