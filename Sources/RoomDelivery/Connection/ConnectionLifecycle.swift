/// The end of one connection, step by step: it decides what is waited for before the rooms are left, and before the
/// connection is closed. Pure; `Connection` runs the steps.
struct ConnectionLifecycle: Equatable {
    private(set) var state = State.open
    /// Answers that are still to come from rooms and moderation.
    var awaited = 0

    enum State: Equatable {
        /// Can transition to: `draining`, `finishing`, `closing`, `closed`.
        case open
        /// The broker shuts down: what was asked is answered, then comes the goodbye. Can transition to: `closing`,
        /// `closed`.
        case draining(retryAfterMilliseconds: Int, hasInputEnded: Bool)
        /// The peer has sent all that it will: what it asked is answered and replayed, then its rooms are left. Can
        /// transition to: `leaving`, `closing`, `closed`.
        case finishing
        /// The rooms are being left; the last deliveries are on their way. Can transition to: `closing`, `closed`.
        case leaving
        /// The output is ended when the replies are written. Can transition to: `closed`.
        case closing(hasInputEnded: Bool)
        /// The channel is gone.
        case closed
    }

    /// Where the connection's session is.
    struct Progress: Equatable {
        /// The handshake and all subscribes have been answered.
        var isSettled: Bool
        /// Each subscriber has got what it is to get before the live messages.
        var isCaughtUp: Bool
        var hasSubscribers: Bool
    }

    enum Step: Equatable {
        case wait
        /// Say goodbye: the broker is shutting down.
        case sayGoodbye(retryAfterMilliseconds: Int)
        case leaveRooms
        case close
        /// End the output as soon as the replies are written.
        case endOutput(andInput: Bool)
    }

    /// Whether `next` has a step for the connection.
    var isEnding: Bool { self.state != .open }

    /// Whether the rooms are being left, so that what comes of them is the last of it.
    var isLeaving: Bool { self.state == .leaving }

    /// The peer will send nothing more, and all that it sent has been handled.
    ///
    /// - Returns: whether the end begins by this.
    mutating func inputEnded() -> Bool {
        switch self.state {
        case .open:
            self.state = .finishing
            return true
        case .draining(let wait, _): self.state = .draining(retryAfterMilliseconds: wait, hasInputEnded: true)
        case .closing: self.state = .closing(hasInputEnded: true)
        case .finishing, .leaving, .closed: break
        }
        return false
    }

    /// The broker shuts down.
    ///
    /// - Returns: whether the end begins by this.
    mutating func drain(retryAfterMilliseconds wait: Int) -> Bool {
        guard self.state == .open else { return false }
        self.state = .draining(retryAfterMilliseconds: wait, hasInputEnded: false)
        return true
    }

    /// The step to take now. Asked whenever something has been answered or written.
    mutating func next(_ progress: Progress) -> Step {
        switch self.state {
        case .open, .closed: return .wait
        case .draining(let wait, _):
            return self.awaited == 0 && progress.isSettled ? .sayGoodbye(retryAfterMilliseconds: wait) : .wait
        case .finishing:
            guard self.awaited == 0, progress.isSettled, progress.isCaughtUp else { return .wait }
            self.state = .leaving
            return .leaveRooms
        case .leaving: return progress.hasSubscribers ? .wait : .close
        case .closing(let hasInputEnded): return .endOutput(andInput: hasInputEnded)
        }
    }

    /// Nothing but the replies is written from now on.
    ///
    /// - Returns: whether the connection was not closing before.
    mutating func beginClosing() -> Bool {
        switch self.state {
        case .open: self.state = .closing(hasInputEnded: false)
        case .draining(_, let hasInputEnded): self.state = .closing(hasInputEnded: hasInputEnded)
        case .finishing, .leaving: self.state = .closing(hasInputEnded: true)
        case .closing, .closed: return false
        }
        return true
    }

    /// Whether a connection whose deadline has passed is to be aborted.
    var mustAbort: Bool {
        switch self.state {
        case .finishing, .leaving, .closing: true
        case .open, .draining, .closed: false
        }
    }

    mutating func closed() {
        self.state = .closed
    }
}
