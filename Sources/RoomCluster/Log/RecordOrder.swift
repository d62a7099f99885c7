import DequeModule
import NIOCore
import RoomCore

/// Puts what a stream delivers into the order of its places, without holes.
///
/// A hole alone does not say whether records were erased, or the stream's beginning was trimmed beyond them. So what is
/// behind a hole waits until the stream has told which places it has erased; these stay erased for good, so each is asked
/// for once only. Then it waits for what was stored in the place of each of them; where nothing was, the place is told as one
/// without bytes, with the time of the next record.
///
/// Nothing is told before the stream has shown that it is the one that was followed before: it still has the newest record that
/// is known, with the same time, or says that it has erased or trimmed it.
///
/// Pure: what was delivered comes in; what is to be told goes out.
struct RecordOrder {
    struct Delivered: Equatable, Sendable {
        var place: UInt64
        /// When the stream took it, Unix time.
        var nanoseconds: Int64
        var bytes: ByteBuffer
    }

    /// The last place that was told.
    private(set) var place: UInt64
    /// Erased places behind `place`, as far as they are known.
    private var erased: Set<UInt64> = []
    /// What stands for them, as far as that is known; `nil`: nothing does.
    private var replacements: [UInt64: Delivered?] = [:]
    private var waiting: Deque<Delivered> = []
    /// Since then the stream says that it ends before `place`.
    private var behindSince: NIODeadline?

    /// A server that is cut off from the others, and has not noticed that it leads no more, says so for some seconds.
    private static let patience = TimeAmount.seconds(30)
    /// So many replacements are asked for at once.
    private static let asked = 64

    /// The newest record that is known, which the stream has to have.
    private(set) var known: KnownRecord?
    /// The stream has it.
    private(set) var isConfirmed: Bool

    /// - Parameter end: the newest record that is known of the stream; `nil`: none is.
    init(behind place: UInt64, reaching end: KnownRecord? = nil) {
        self.place = place
        self.known = end
        self.isConfirmed = end?.time == nil
    }

    /// The stream has all that it is known to have had.
    var isWhole: Bool { self.isConfirmed && !self.isBehind }

    /// Whether something waits.
    var isWaiting: Bool { !self.waiting.isEmpty }

    /// Whether something waits for the stream's answer.
    var needsAnswer: Bool { self.waiting.first.map { !self.isErased(before: $0.place) } ?? false }

    /// The erased places for whose replacement something waits, the first ones of them.
    var wanted: [UInt64] {
        guard let next = self.waiting.first, self.isErased(before: next.place) else { return [] }
        return Array(self.hole(before: next.place).lazy.filter { self.replacements[$0] == nil }.prefix(Self.asked))
    }

    /// The stream ends before what it has had, as far as is known.
    var isBehind: Bool { self.behindSince != nil }

    mutating func delivered(_ record: Delivered) -> [PartitionLogEvent] {
        guard record.place > self.waiting.last?.place ?? self.place else { return [] }
        if !self.isWaiting, self.isConfirmed, record.place == self.place + 1 { return [self.tell(record)] }
        self.waiting.append(record)
        return self.told()
    }

    /// The stream has told its first and its last place, and those between them that it has erased.
    ///
    /// Where `needsAnswer` is true behind it, what waits has to be delivered anew: the stream has what was not delivered, or its
    /// beginning was trimmed since.
    mutating func answered(
        first: UInt64,
        last: UInt64,
        erased: some Sequence<UInt64>,
        now: NIODeadline
    ) -> [PartitionLogEvent] {
        let known = self.known?.place.rawValue ?? 0
        guard last >= max(self.place, known) else {
            let since = self.behindSince ?? now
            self.behindSince = since
            return now - since < Self.patience ? [] : [.behind(last: LogOffset(rawValue: last))]
        }
        self.behindSince = nil
        guard first <= self.place + 1 else {
            self.waiting = []
            return [.lost(first: LogOffset(rawValue: first))]
        }
        let erased = Set(erased)
        // what it does not have any more cannot show that it is another one
        if first > known || erased.contains(known) { self.isConfirmed = true }
        self.erased = erased.filter { $0 > self.place }
        return self.told()
    }

    /// What was stored in the place of one that is `wanted`.
    ///
    /// - Parameter record: `nil`: nothing was.
    mutating func replaced(_ place: UInt64, by record: Delivered?) -> [PartitionLogEvent] {
        guard place > self.place, self.erased.contains(place) else { return [] }
        self.replacements[place] = .some(record)
        return self.told()
    }

    /// When the stream took what it has in the place of `known`, in Unix milliseconds.
    mutating func knownAnswered(time: Int64) -> [PartitionLogEvent] {
        guard let known, !self.isConfirmed else { return [] }
        guard time == known.time else { return [.differs(known.place)] }
        self.isConfirmed = true
        return self.told()
    }

    /// All behind `place` is delivered anew.
    mutating func restarted() {
        self.waiting = []
        self.isConfirmed = self.known?.time == nil
    }

    private func hole(before place: UInt64) -> Range<UInt64> { (self.place + 1)..<place }

    private func isErased(before place: UInt64) -> Bool {
        let hole = self.hole(before: place)
        return hole.count <= self.erased.count && hole.allSatisfy { self.erased.contains($0) }
    }

    private mutating func told() -> [PartitionLogEvent] {
        guard self.isConfirmed else { return [] }
        var events: [PartitionLogEvent] = []
        while let next = self.waiting.first, self.isErased(before: next.place) {
            while self.place + 1 < next.place, let replacement = self.replacements[self.place + 1] {
                events.append(replacement.map { self.tell($0) } ?? self.tellNothing(before: next))
            }
            guard self.place + 1 == next.place else { break }
            events.append(self.tell(next))
            self.waiting.removeFirst()
        }
        return events
    }

    private mutating func tell(_ record: Delivered) -> PartitionLogEvent {
        let (place, time) = (LogOffset(rawValue: record.place), record.nanoseconds / 1_000_000)
        if let known, place <= known.place {
            guard place < known.place || known.time == nil || known.time == time else { return .differs(place) }
        } else {
            self.known = KnownRecord(place: place, time: time)
        }
        self.passed(record.place)
        return .record(place, time: time, bytes: record.bytes)
    }

    private mutating func tellNothing(before next: Delivered) -> PartitionLogEvent {
        let place = self.place + 1
        self.passed(place)
        return .record(LogOffset(rawValue: place), time: next.nanoseconds / 1_000_000, bytes: nil)
    }

    private mutating func passed(_ place: UInt64) {
        self.place = place
        guard !self.erased.isEmpty else { return }
        self.erased.remove(place)
        self.replacements[place] = nil
    }
}
