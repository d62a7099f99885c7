import NIOCore
import RoomModel

/// Decides which signals of the app are sent to the other members of one room: an app may call for each key and for each message,
/// and each signal costs a delivery to every member. Pure.
struct SignalPace: Equatable {
    enum ReadOrder: Equatable {
        case send(Position)
        /// Look again then.
        case wait(until: NIODeadline)
        case none
    }

    private static let interval = TimeAmount.seconds(3)

    /// The time at which the others were told that the user is typing; `nil` if they were told otherwise since.
    private var typingSent: NIODeadline?
    private var readSent: Position?
    private var readWanted: Position?
    private var nextRead: NIODeadline?
    private var isWaiting = false

    /// - Returns: whether to tell the others.
    mutating func typing(_ isTyping: Bool, now: NIODeadline) -> Bool {
        let isKnown = self.typingSent.map { now - $0 < Self.interval } ?? false
        guard isTyping != isKnown else { return false }
        self.typingSent = isTyping ? now : nil
        return true
    }

    /// A message ends the typing, and the others need no signal for that.
    mutating func published() {
        self.typingSent = nil
    }

    mutating func read(through position: Position) {
        if let wanted = self.readWanted, wanted.epoch == position.epoch, position.seq <= wanted.seq { return }
        self.readWanted = position
    }

    mutating func readOrder(now: NIODeadline) -> ReadOrder {
        guard let wanted = self.readWanted, wanted != self.readSent else { return .none }
        if let next = self.nextRead, now < next {
            guard !self.isWaiting else { return .none }
            self.isWaiting = true
            return .wait(until: next)
        }
        self.readSent = wanted
        self.nextRead = now + Self.interval
        return .send(wanted)
    }

    /// The wait has ended.
    mutating func waited() {
        self.isWaiting = false
    }
}
