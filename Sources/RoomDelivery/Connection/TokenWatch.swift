import NIOCore

/// Decides when the token of one member is to be looked at again. Tokens change, and a deadline of the shard cannot be
/// taken back: one that was set for an earlier token passes without effect.
struct TokenWatch: Equatable {
    /// When the token is to be looked at.
    private var due: NIODeadline?
    /// The deadline that is set, which may be an earlier one.
    private var timer: NIODeadline?

    /// How long a member has to show another token when its own has expired.
    static let renewalTime = TimeAmount.seconds(30)
    /// The end of a token is looked for again after so long at the latest: clocks are set.
    private static let longestWatch: Int64 = 3_600

    enum Outcome: Equatable {
        case nothing
        /// It is too early; set a deadline.
        case wait(TimeAmount)
        case lookAtToken
    }

    /// - Parameters:
    ///   - end: when the token ends, in Unix seconds, as `clock`.
    ///   - now: of the event loop.
    /// - Returns: in what time a deadline is to be set; `nil` where one is set that is early enough.
    mutating func look(atEnd end: Int64, clock: Int64, now: NIODeadline) -> TimeAmount? {
        self.look(in: .seconds(min(max(0, end - clock), Self.longestWatch)), now: now)
    }

    mutating func look(in time: TimeAmount, now: NIODeadline) -> TimeAmount? {
        let due = now + time
        self.due = due
        if let timer, timer <= due { return nil }
        self.timer = due
        return time
    }

    /// A deadline has passed: the one for the token that is shown now, or one that an earlier token has left behind.
    mutating func timerFired(now: NIODeadline) -> Outcome {
        guard let timer, timer <= now else { return .nothing }
        self.timer = nil
        guard let due else { return .nothing }
        guard due <= now else { return self.look(in: due - now, now: now).map { .wait($0) } ?? .nothing }
        self.due = nil
        return .lookAtToken
    }
}
