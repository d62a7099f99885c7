import NIOCore

/// The publishes that wait for their acknowledgement, over reconnections, bounded by count and bytes. Pure.
///
/// A frame keeps its bytes, and with them its `message_id`, through every retry, so that the broker recognizes a repeat. After a
/// reconnection all unanswered frames are sent again in their order.
struct Outbox {
    /// The consequence of a refusal.
    enum Refusal: Equatable {
        /// The frame is sent again at that time.
        case again(at: NIODeadline)
        case final
        /// Benign race: answered, expired or cancelled before.
        case unknown
    }

    private struct Entry {
        let frame: ByteBuffer
        /// The outcome is unknown after this; the broker forgets a `message_id` after ten minutes.
        let deadline: NIODeadline
        var refusals = 0
    }

    private let limit: RoomClient.Configuration.Outbox
    private let backoff: Backoff
    private var entries: [UInt64: Entry] = [:]
    /// In the order of sending. A ticket without an entry is skipped.
    private var unsent = CircularBuffer<UInt64>()
    /// Refused temporarily.
    private var delayed: [(at: NIODeadline, ticket: UInt64)] = []
    /// Refused until another token is shown.
    private var postponed: Set<UInt64> = []
    private(set) var bytes = 0

    init(limit: RoomClient.Configuration.Outbox, backoff: Backoff) {
        self.limit = limit
        self.backoff = backoff
    }

    var count: Int { self.entries.count }
    var isEmpty: Bool { self.entries.isEmpty }

    /// Whether a frame of that size can be added. An empty outbox accepts a frame that is larger than its limit.
    func hasRoom(for size: Int) -> Bool {
        self.entries.isEmpty || (self.entries.count < self.limit.count && self.bytes + size <= self.limit.bytes)
    }

    func contains(_ ticket: UInt64) -> Bool { self.entries[ticket] != nil }

    mutating func add(_ frame: ByteBuffer, ticket: UInt64, deadline: NIODeadline) {
        self.entries[ticket] = Entry(frame: frame, deadline: deadline)
        self.unsent.append(ticket)
        self.bytes += frame.readableBytes
    }

    /// The next frame to write; `nil` when all are sent.
    mutating func next() -> ByteBuffer? {
        while let ticket = self.unsent.popFirst() {
            if let frame = self.entries[ticket]?.frame { return frame }
        }
        return nil
    }

    /// Answered, one way or the other.
    ///
    /// - Returns: whether it was still waiting.
    mutating func remove(_ ticket: UInt64) -> Bool {
        guard let entry = self.entries.removeValue(forKey: ticket) else { return false }
        self.bytes -= entry.frame.readableBytes
        self.forgetSkipped()
        return true
    }

    /// Removes the tickets without an entry, which are skipped only while there is a connection.
    private mutating func forgetSkipped() {
        guard self.unsent.count > 2 * self.entries.count + Self.skippedLimit else { return }
        let entries = self.entries
        self.unsent.removeAll { entries[$0] == nil }
    }

    private static let skippedLimit = 64

    /// The broker has refused the publish temporarily.
    ///
    /// - Parameter jitter: a random number from 0 to 1.
    mutating func refused(
        _ ticket: UInt64,
        retryAfter: Duration?,
        jitter: Double,
        now: NIODeadline
    ) -> Refusal {
        guard let entry = self.entries[ticket] else { return .unknown }
        let pause = self.backoff.delay(attempt: entry.refusals, jitter: jitter, atLeast: retryAfter)
        let time = now + TimeAmount(pause)
        guard time < entry.deadline else { return .final }
        self.entries[ticket]?.refusals += 1
        self.delayed.append((time, ticket))
        return .again(at: time)
    }

    /// Queues the refused frames again that have waited long enough.
    mutating func release(now: NIODeadline) {
        guard !self.delayed.isEmpty else { return }
        self.unsent.append(contentsOf: self.delayed.filter { $0.at <= now }.map(\.ticket).sorted())
        self.delayed.removeAll { $0.at <= now }
    }

    /// The broker wants another token first.
    mutating func postpone(_ ticket: UInt64) {
        self.postponed.insert(ticket)
    }

    /// The broker has accepted another token: the postponed frames are sent again, before later ones.
    mutating func resendPostponed() {
        self.unsent = CircularBuffer(self.postponed.union(self.unsent).sorted())
        self.postponed = []
    }

    /// All unanswered frames are to be sent again, in their order.
    mutating func connectionLost() {
        self.delayed = []
        self.postponed = []
        self.unsent = CircularBuffer(self.entries.keys.sorted())
    }

    /// Removes the frames that were not answered in time.
    mutating func expire(now: NIODeadline) -> [UInt64] {
        let tickets = self.entries.filter { $0.value.deadline <= now }.map(\.key).sorted()
        for ticket in tickets { _ = self.remove(ticket) }
        return tickets
    }

    /// Removes everything.
    mutating func removeAll() -> [UInt64] {
        defer {
            self.entries = [:]
            self.unsent = CircularBuffer()
            self.delayed = []
            self.postponed = []
            self.bytes = 0
        }
        return self.entries.keys.sorted()
    }

    /// The next time at which ``release(now:)`` or ``expire(now:)`` has something to do.
    var nextDeadline: NIODeadline? {
        let release = self.delayed.map(\.at).min()
        // Tickets rise with time, and so do their deadlines.
        let expiry = self.entries.keys.min().flatMap { self.entries[$0]?.deadline }
        return [release, expiry].compactMap(\.self).min()
    }
}
