import NIOCore
import RoomModel

/// The publishes that wait for their acknowledgement, over reconnections, bounded by count and bytes. Pure.
///
/// A frame keeps its bytes, and with them its `message_id`, through every retry, so that the broker recognizes a repeat. After a
/// reconnection all unanswered frames are sent again in their order. Where the broker refuses one for some time, those behind it in the
/// same room wait with it, and keep their order.
struct Outbox {
    /// The consequence of a refusal.
    enum Refusal: Equatable {
        /// The frame is sent again at that time or later.
        case again(at: NIODeadline)
        case final
        /// Benign race: answered, expired or cancelled before.
        case unknown
    }

    private struct Entry {
        let frame: ByteBuffer
        let room: RoomName
        /// The outcome is unknown after this; the broker forgets a `message_id` after ten minutes.
        let deadline: NIODeadline
    }

    /// A room in which a frame was refused temporarily, until all that waited with it is answered.
    private struct HeldRoom {
        /// `nil`: the pause is over.
        var until: NIODeadline?
        /// The tickets that wait, in their order. One without an entry is skipped.
        var waiting: [UInt64] = []
        /// The tickets that were queued or sent since the pause, and are not answered.
        var tried: Set<UInt64> = []
        /// How many tickets may be tried at once: one after a pause, one more with each answer.
        var window = 1
        /// Pauses since the last answer.
        var refusals = 0
    }

    private let limit: RoomClient.Configuration.Outbox
    private let backoff: Backoff
    private var entries: [UInt64: Entry] = [:]
    /// In the order of sending. A ticket without an entry is skipped.
    private var unsent = CircularBuffer<UInt64>()
    private var held: [RoomName: HeldRoom] = [:]
    /// Refused until another token is shown.
    private var postponed: Set<UInt64> = []
    private(set) var bytes = 0

    init(limit: RoomClient.Configuration.Outbox, backoff: Backoff) {
        self.limit = limit
        self.backoff = backoff
    }

    var count: Int { self.entries.count }
    var isEmpty: Bool { self.entries.isEmpty }
    /// Whether an answer may let others be sent.
    var holdsBack: Bool { !self.held.isEmpty }

    /// Whether a frame of that size can be added. An empty outbox accepts a frame that is larger than its limit.
    func hasRoom(for size: Int) -> Bool {
        self.entries.isEmpty || (self.entries.count < self.limit.count && self.bytes + size <= self.limit.bytes)
    }

    func contains(_ ticket: UInt64) -> Bool { self.entries[ticket] != nil }

    mutating func add(_ frame: ByteBuffer, to room: RoomName, ticket: UInt64, deadline: NIODeadline) {
        self.entries[ticket] = Entry(frame: frame, room: room, deadline: deadline)
        self.unsent.append(ticket)
        self.bytes += frame.readableBytes
    }

    /// The next frame to write; `nil` when all are sent.
    mutating func next() -> ByteBuffer? {
        while let ticket = self.unsent.popFirst() {
            guard let entry = self.entries[ticket] else { continue }
            guard let room = self.held[entry.room], !room.tried.contains(ticket) else { return entry.frame }
            self.hold(ticket, in: entry.room)
            if room.until == nil { self.fill(entry.room) }
        }
        return nil
    }

    /// Puts a ticket at its place among those that wait.
    private mutating func hold(_ ticket: UInt64, in room: RoomName) {
        self.held[room]?.tried.remove(ticket)
        guard let waiting = self.held[room]?.waiting else { return }
        let place =
            waiting.last.map { $0 < ticket } ?? true
            ? waiting.count : waiting.firstIndex { $0 > ticket } ?? waiting.count
        self.held[room]?.waiting.insert(ticket, at: place)
    }

    /// Takes back the tickets that were to be tried and are not sent: they would pass the one that was refused now.
    private mutating func withdraw(_ room: HeldRoom) {
        let queued = self.unsent.filter { room.tried.contains($0) }
        guard !queued.isEmpty else { return }
        self.unsent.removeAll { room.tried.contains($0) }
        for ticket in queued {
            if let name = self.entries[ticket]?.room { self.hold(ticket, in: name) }
        }
    }

    /// Queues as many of the waiting tickets as the window takes; forgets the room when there are none.
    private mutating func fill(_ name: RoomName) {
        guard var room = self.held[name] else { return }
        var next = 0
        while room.tried.count < room.window, next < room.waiting.count {
            let ticket = room.waiting[next]
            next += 1
            guard self.entries[ticket] != nil else { continue }
            room.tried.insert(ticket)
            self.unsent.append(ticket)
        }
        room.waiting.removeFirst(next)
        self.held[name] = room.tried.isEmpty && room.waiting.isEmpty ? nil : room
    }

    /// Answered, one way or the other.
    ///
    /// - Returns: whether it was still waiting.
    mutating func remove(_ ticket: UInt64) -> Bool {
        guard let entry = self.entries.removeValue(forKey: ticket) else { return false }
        self.bytes -= entry.frame.readableBytes
        self.forgetSkipped()
        guard self.held[entry.room] != nil else { return true }
        if self.held[entry.room]?.tried.remove(ticket) != nil {
            self.held[entry.room]?.window += 1
            self.held[entry.room]?.refusals = 0
        }
        if self.held[entry.room]?.until == nil { self.fill(entry.room) }
        return true
    }

    /// Removes the tickets without an entry, which are skipped only while there is a connection.
    private mutating func forgetSkipped() {
        let waiting = self.held.values.reduce(0) { $0 + $1.waiting.count }
        guard self.unsent.count + waiting > 2 * self.entries.count + Self.skippedLimit else { return }
        let entries = self.entries
        self.unsent.removeAll { entries[$0] == nil }
        for room in self.held.keys { self.held[room]?.waiting.removeAll { entries[$0] == nil } }
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
        var room = self.held[entry.room] ?? HeldRoom()
        if room.until == nil {
            let pause = self.backoff.delay(attempt: room.refusals, jitter: jitter, atLeast: retryAfter)
            room.until = now + TimeAmount(pause)
            room.window = 1
            room.refusals += 1
        }
        guard let time = room.until, time < entry.deadline else { return .final }
        let isNew = self.held[entry.room]?.until == nil
        self.held[entry.room] = room
        self.hold(ticket, in: entry.room)
        if isNew { self.withdraw(room) }
        return .again(at: time)
    }

    /// Queues the first of the refused frames of each room again that has waited long enough.
    mutating func release(now: NIODeadline) {
        for (name, room) in self.held where room.until.map({ $0 <= now }) ?? false {
            self.held[name]?.until = nil
            self.fill(name)
        }
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
        self.held = [:]
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
            self.held = [:]
            self.postponed = []
            self.bytes = 0
        }
        return self.entries.keys.sorted()
    }

    /// The next time at which ``release(now:)`` or ``expire(now:)`` has something to do.
    var nextDeadline: NIODeadline? {
        let release = self.held.values.compactMap(\.until).min()
        // Tickets rise with time, and so do their deadlines.
        let expiry = self.entries.keys.min().flatMap { self.entries[$0]?.deadline }
        return [release, expiry].compactMap(\.self).min()
    }
}
