import NIOCore

/// The publishes that wait for their acknowledgement, over reconnections, bounded by count and bytes. Pure.
///
/// A frame keeps its bytes, and with them its `message_id`, through every retry: that is how the broker knows a repeat. After
/// a reconnection all that is unanswered is sent again in the order it was given.
struct Outbox {
    /// What a refusal leads to.
    enum Refusal: Equatable {
        /// It goes out again at that time.
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
    /// In the order in which they go out. A ticket whose entry is gone is skipped.
    private var unsent = CircularBuffer<UInt64>()
    /// Refused for now.
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

    /// Whether a frame of that size may enter. A single one that is larger than the whole outbox may, when it is empty.
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
    /// - Returns: whether it was still waited for.
    mutating func remove(_ ticket: UInt64) -> Bool {
        guard let entry = self.entries.removeValue(forKey: ticket) else { return false }
        self.bytes -= entry.frame.readableBytes
        self.forgetSkipped()
        return true
    }

    /// Tickets whose entries are gone: without a connection nobody skips them.
    private mutating func forgetSkipped() {
        guard self.unsent.count > 2 * self.entries.count + Self.skippedLimit else { return }
        let entries = self.entries
        self.unsent.removeAll { entries[$0] == nil }
    }

    private static let skippedLimit = 64

    /// The broker could not do it now.
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

    /// Puts what was refused and has waited long enough back in line.
    mutating func release(now: NIODeadline) {
        guard !self.delayed.isEmpty else { return }
        self.unsent.append(contentsOf: self.delayed.filter { $0.at <= now }.map(\.ticket).sorted())
        self.delayed.removeAll { $0.at <= now }
    }

    /// The broker wants another token first.
    mutating func postpone(_ ticket: UInt64) {
        self.postponed.insert(ticket)
    }

    /// The other token is shown: what was postponed is sent again, before what was given later.
    mutating func resendPostponed() {
        self.unsent = CircularBuffer(self.postponed.union(self.unsent).sorted())
        self.postponed = []
    }

    /// What was sent and not answered is to be sent again, in the order it was given.
    mutating func connectionLost() {
        self.delayed = []
        self.postponed = []
        self.unsent = CircularBuffer(self.entries.keys.sorted())
    }

    /// Takes out what was not answered in time.
    mutating func expire(now: NIODeadline) -> [UInt64] {
        let tickets = self.entries.filter { $0.value.deadline <= now }.map(\.key).sorted()
        for ticket in tickets { _ = self.remove(ticket) }
        return tickets
    }

    /// Takes out everything.
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

    /// When ``release(now:)`` or ``expire(now:)`` has something to do next.
    var nextDeadline: NIODeadline? {
        let release = self.delayed.map(\.at).min()
        // Tickets rise with time, and so do their deadlines.
        let expiry = self.entries.keys.min().flatMap { self.entries[$0]?.deadline }
        return [release, expiry].compactMap(\.self).min()
    }
}
