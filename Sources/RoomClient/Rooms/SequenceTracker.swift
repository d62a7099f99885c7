import RoomModel
import RoomWire

/// The part of one room's log that this client has received: decides what is new, what is a repeat, and where to continue.
/// Pure.
struct SequenceTracker: Equatable {
    enum Verdict: Equatable {
        case new
        /// Received before.
        case repeated
        /// New, and the messages before it are missing. The broker violates the protocol, so the app gets a gap.
        case newAfterGap(RoomGap)
    }

    /// After the last message received; `nil` until the first subscribe is answered.
    private(set) var position: Position?
    /// Messages up to here are older than the join.
    private(set) var joinedAt: UInt64 = 0
    private let historyCount: Int
    /// No entry of the requested history has come yet. It may begin anywhere, because redactions in between do not count.
    private var awaitsHistory = false

    /// - Parameter since: the position at which an earlier run of the app stopped.
    init(historyCount: Int, since: Position? = nil) {
        self.historyCount = historyCount
        self.position = since
        self.joinedAt = since?.seq ?? 0
    }

    /// The fields of the next subscribe.
    var request: (historyCount: Int, since: Position?) {
        self.position == nil ? (self.historyCount, nil) : (0, self.position)
    }

    mutating func subscribed(_ reply: SubscribeReply) {
        if let position, position.epoch == reply.epoch, position.seq <= reply.seq { return }
        // The first time; or another log, which a `gap` announces and nothing of which is replayed.
        let asked = self.position == nil ? UInt64(self.historyCount) : 0
        self.joinedAt = reply.seq
        self.position = Position(epoch: reply.epoch, seq: reply.seq - min(asked, reply.seq))
        self.awaitsHistory = asked > 0
    }

    /// - Parameter seq: of a message or a redaction.
    mutating func received(seq: UInt64) -> Verdict {
        guard let position = self.position else { return .repeated }
        let isFirst = self.awaitsHistory
        self.awaitsHistory = false
        guard seq > position.seq || isFirst else { return .repeated }
        self.position = Position(epoch: position.epoch, seq: seq)
        let isNext = seq == position.seq + 1
        // The history may begin later than requested.
        if isNext || seq <= self.joinedAt { return .new }
        let missing = max(position.seq, self.joinedAt) + 1
        return missing < seq ? .newAfterGap(self.gap(missing...(seq - 1), .slow)) : .new
    }

    /// The broker reports missing messages.
    ///
    /// - Returns: the gap for the app; `nil` if it only concerns messages that the app has, or that are older than the history which it
    ///   has asked for.
    mutating func lost(_ event: GapEvent) -> RoomGap? {
        guard let position = self.position else { return nil }
        let reason = RoomGap.Reason(rawValue: event.reason)
        if reason == .epoch || reason == .cleared {
            // Another log, perhaps in the middle of a connection. Its numbers are not those of the missing messages.
            self.position = Position(epoch: Epoch(event.epoch), seq: event.through)
            self.joinedAt = event.through
            self.awaitsHistory = false
            return RoomGap(epoch: event.epoch, seqs: nil, reason: reason)
        }
        guard event.from <= event.through, Epoch(event.epoch) == position.epoch else {
            return RoomGap(epoch: event.epoch, seqs: nil, reason: reason)
        }
        if event.through > position.seq { self.position = Position(epoch: position.epoch, seq: event.through) }
        // a history may begin later than asked for, and has no hole but what is damaged
        let known = reason == .lost ? position.seq : max(position.seq, self.joinedAt)
        guard event.through > known else { return nil }
        return self.gap(max(event.from, known + 1)...event.through, reason)
    }

    /// All messages are deleted.
    ///
    /// - Returns: the position from which the room continues.
    mutating func cleared(_ event: ClearingEvent) -> Position {
        let position = Position(epoch: Epoch(event.epoch), seq: event.seq)
        self.position = position
        self.joinedAt = event.seq
        self.awaitsHistory = false
        return position
    }

    func isHistory(_ seq: UInt64?) -> Bool {
        seq.map { $0 <= self.joinedAt } ?? false
    }

    private func gap(_ seqs: ClosedRange<UInt64>, _ reason: RoomGap.Reason) -> RoomGap {
        RoomGap(epoch: self.position?.epoch?.description ?? "", seqs: seqs, reason: reason)
    }
}
