import DequeModule
package import NIOCore
package import RoomCore

/// Puts what a stream delivers into the order of its places, without holes: a place whose record was erased is told as one
/// without bytes.
///
/// A hole alone does not say whether records were erased, or the stream's beginning was trimmed beyond them. So what is
/// behind a hole waits until the stream has told which places it has erased; these stay erased for good, so each is asked
/// for once only.
///
/// The stream does not keep an erased record's time: it is told with that of the next one.
///
/// Pure: what was delivered comes in; what is to be told goes out.
package struct RecordOrder {
    package struct Delivered: Equatable, Sendable {
        package var place: UInt64
        /// When the stream took it, Unix time.
        package var nanoseconds: Int64
        package var bytes: ByteBuffer

        package init(place: UInt64, nanoseconds: Int64, bytes: ByteBuffer) {
            self.place = place
            self.nanoseconds = nanoseconds
            self.bytes = bytes
        }
    }

    /// The last place that was told.
    package private(set) var place: UInt64
    /// Erased places behind `place`, as far as they are known.
    private var erased: Set<UInt64> = []
    private var waiting: Deque<Delivered> = []
    /// Since then the stream says that it ends before `place`.
    private var behindSince: NIODeadline?

    /// A server that is cut off from the others, and has not noticed that it leads no more, says so for some seconds.
    private static let patience = TimeAmount.seconds(30)

    /// The stream has had everything through here.
    private let end: UInt64

    /// - Parameter end: the stream has had everything through here; `nil`: nobody knows.
    package init(behind place: UInt64, reaching end: UInt64? = nil) {
        self.place = place
        self.end = end ?? 0
    }

    /// Whether something waits for the stream's answer.
    package var isWaiting: Bool { !self.waiting.isEmpty }

    /// The stream ends before what it has had, as far as is known.
    package var isBehind: Bool { self.behindSince != nil }

    package mutating func delivered(_ record: Delivered) -> [PartitionLogEvent] {
        guard record.place > self.waiting.last?.place ?? self.place else { return [] }
        guard !self.isWaiting, self.isErased(before: record.place) else {
            self.waiting.append(record)
            return []
        }
        return self.told(record)
    }

    /// The stream has told its first and its last place, and those between them that it has erased.
    ///
    /// What still waits then has to be delivered anew: the stream has what was not delivered, or its beginning was trimmed
    /// since.
    package mutating func answered(
        first: UInt64,
        last: UInt64,
        erased: some Sequence<UInt64>,
        now: NIODeadline
    ) -> [PartitionLogEvent] {
        guard last >= max(self.place, self.end) else {
            let since = self.behindSince ?? now
            self.behindSince = since
            return now - since < Self.patience ? [] : [.behind(last: LogPlace(rawValue: last))]
        }
        self.behindSince = nil
        guard first <= self.place + 1 else {
            self.waiting = []
            return [.lost(first: LogPlace(rawValue: first))]
        }
        self.erased = Set(erased.filter { $0 > self.place })
        var events: [PartitionLogEvent] = []
        while let record = self.waiting.first, self.isErased(before: record.place) {
            events += self.told(record)
            self.waiting.removeFirst()
        }
        return events
    }

    /// All behind `place` is delivered anew.
    package mutating func restarted() { self.waiting = [] }

    private func isErased(before place: UInt64) -> Bool {
        let hole = (self.place + 1)..<place
        return hole.count <= self.erased.count && hole.allSatisfy { self.erased.contains($0) }
    }

    private mutating func told(_ record: Delivered) -> [PartitionLogEvent] {
        let time = record.nanoseconds / 1_000_000
        var events: [PartitionLogEvent] = []
        for place in (self.place + 1)..<record.place {
            self.erased.remove(place)
            events.append(.record(LogPlace(rawValue: place), time: time, bytes: nil))
        }
        events.append(.record(LogPlace(rawValue: record.place), time: time, bytes: record.bytes))
        self.place = record.place
        return events
    }
}
