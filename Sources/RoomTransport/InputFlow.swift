/// Decides when one connection is read from, and when its input has ended. Pure; `ConnectionHandler` runs what it says.
///
/// Reading stops while more bytes than `waitingBytes` gather behind a line that waits for an answer, while the peer does
/// not read its replies, and while lines wait for the connection's turn; so what a client can make the broker hold is
/// bounded.
struct InputFlow: Equatable {
    /// Bytes that may gather behind a line that waits, before reading stops.
    static let waitingBytes = 64 * 1_024

    private(set) var isReading = true
    /// Came in while a line waits.
    private var bytesBehindWait = 0
    /// The peer has sent all that it will.
    private(set) var hasEnded = false

    /// How far the lines that were read are handled.
    enum Progress: Equatable {
        /// All complete lines are.
        case through
        /// A line waits for the answer to an earlier one.
        case waiting
        /// The connection has used its credit: the rest is handled at its next turn.
        case outOfTurn
    }

    struct Action: Equatable {
        /// Switch reading on or off; `nil`: it stays as it is.
        var setsReading: Bool?
        /// Have the connection say when the peer has read its replies.
        var awaitsReplies = false
        /// All that the peer sent has been handled, and nothing more comes.
        var endsInput = false
    }

    /// Bytes have come in.
    mutating func received(_ count: Int, behindWait: Bool) -> Action {
        guard behindWait else { return Action() }
        self.bytesBehindWait += count
        return self.bytesBehindWait > Self.waitingBytes ? self.action(isReading: false) : Action()
    }

    mutating func inputEnded() {
        self.hasEnded = true
    }

    /// The bytes that had been read are handled, or are held back.
    ///
    /// - Parameters:
    ///   - progress: how far it is handled.
    ///   - isBackedUp: the peer does not read its replies.
    mutating func processed(_ progress: Progress, isBackedUp: Bool) -> Action {
        if progress == .through { self.bytesBehindWait = 0 }
        if isBackedUp {
            var action = self.action(isReading: false)
            action.awaitsReplies = true
            return action
        }
        switch progress {
        case .waiting: return Action()
        case .outOfTurn: return self.action(isReading: false)
        case .through:
            var action = self.action(isReading: true)
            action.endsInput = self.hasEnded
            return action
        }
    }

    /// The session has ended: what still comes is read off.
    mutating func discard() -> Action { self.action(isReading: true) }

    private mutating func action(isReading: Bool) -> Action {
        guard self.isReading != isReading else { return Action() }
        self.isReading = isReading
        return Action(setsReading: isReading)
    }
}
