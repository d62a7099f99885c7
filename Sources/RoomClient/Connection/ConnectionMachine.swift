import NIOCore

/// The life of a client's connection, over all its reconnections. Pure: events come in, one order goes out.
///
/// The shell ignores the channels of earlier attempts, so every event here is about the current one.
struct ConnectionMachine: Equatable {
    enum State: Equatable {
        /// Nothing needs a connection. Can transition to: `opening`, `closed`.
        case idle
        /// The TCP or TLS connection is being opened. Can transition to: `greeting`, `waiting`, `closed`.
        case opening
        /// The handshake is sent. Can transition to: `authenticating`, `ready`, `waiting`, `closed`.
        case greeting
        /// The client gets a token, or the broker checks it. Can transition to: `ready`, `waiting`, `closed`.
        case authenticating
        /// Can transition to: `waiting`, `closed`.
        case ready(since: NIODeadline)
        /// Until the next attempt, which the broker may have asked for not to come before a time. Can transition to: `opening`,
        /// `idle`, `closed`.
        case waiting(notBefore: NIODeadline?)
        case closed
    }

    /// The next task of the shell.
    enum Order: Equatable {
        case open
        case greet
        case authenticate
        /// Join the rooms again and send what waits.
        case resume
        /// Close the channel, if there is one, and report the end of the pause.
        case wait(Duration)
        /// End the present pause after this time.
        case shortenPause(Duration)
        /// Ask the broker for a sign of life.
        case probe
        /// Close the channel for good.
        case end
        case none
    }

    /// The reason for the end of a connection.
    enum Ending: Equatable {
        /// It could not be opened, was lost, sent no data, or took too long.
        case lost
        /// The broker has sent a goodbye, or has refused the handshake or the token.
        case told(isFinal: Bool, retryAfter: Duration?)
    }

    private(set) var state = State.idle
    /// Failures in a row.
    private(set) var attempt = 0
    private let backoff: Backoff
    /// After a connection that lasted so long the next pause is short. A shorter connection counts as a failed attempt, so that the
    /// client does not overload a broker that accepts connections and fails.
    private let provenAfter: TimeAmount

    init(backoff: Backoff, provenAfter: TimeAmount = .seconds(5)) {
        self.backoff = backoff
        self.provenAfter = provenAfter
    }

    mutating func wanted() -> Order {
        switch self.state {
        case .idle:
            self.state = .opening
            return .open
        case .opening, .greeting, .authenticating, .ready, .waiting, .closed: return .none
        }
    }

    mutating func opened() -> Order {
        switch self.state {
        case .opening:
            self.state = .greeting
            return .greet
        case .idle, .greeting, .authenticating, .ready, .waiting, .closed: return .none  // benign race: given up before
        }
    }

    mutating func welcomed(authenticates: Bool, now: NIODeadline) -> Order {
        switch self.state {
        case .greeting where authenticates:
            self.state = .authenticating
            return .authenticate
        case .greeting:
            self.state = .ready(since: now)
            return .resume
        case .idle, .opening, .authenticating, .ready, .waiting, .closed: return .none
        }
    }

    mutating func authenticated(now: NIODeadline) -> Order {
        switch self.state {
        case .authenticating:
            self.state = .ready(since: now)
            return .resume
        case .idle, .opening, .greeting, .ready, .waiting, .closed: return .none
        }
    }

    /// - Parameter jitter: a random number from 0 to 1.
    mutating func ended(_ ending: Ending, jitter: Double, now: NIODeadline) -> Order {
        switch self.state {
        case .opening, .greeting, .authenticating: self.giveUp(ending, jitter: jitter, now: now)
        case .ready(let since): self.lose(ending, wasProven: now - since >= self.provenAfter, jitter: jitter, now: now)
        case .idle, .waiting, .closed: .none
        }
    }

    mutating func pauseEnded() -> Order {
        switch self.state {
        case .waiting:
            self.state = .opening
            return .open
        case .idle, .opening, .greeting, .authenticating, .ready, .closed: return .none
        }
    }

    /// Nothing needs a connection any more: no further attempts.
    mutating func unwanted() -> Order {
        switch self.state {
        case .waiting:
            self.state = .idle
            self.attempt = 0
            return .none
        case .idle, .opening, .greeting, .authenticating, .ready, .closed: return .none
        }
    }

    mutating func closed() -> Order {
        switch self.state {
        case .closed: return .none
        case .idle, .opening, .greeting, .authenticating, .ready, .waiting:
            self.state = .closed
            return .end
        }
    }

    /// The app has reason to believe that a connection is possible now, or that the present one is dead.
    mutating func hurried(now: NIODeadline) -> Order {
        self.attempt = 0
        switch self.state {
        case .waiting(let notBefore?) where now < notBefore:
            return .shortenPause(.nanoseconds((notBefore - now).nanoseconds))
        case .idle, .waiting:
            self.state = .opening
            return .open
        case .ready: return .probe
        case .opening, .greeting, .authenticating, .closed: return .none
        }
    }

    private mutating func lose(_ ending: Ending, wasProven: Bool, jitter: Double, now: NIODeadline) -> Order {
        if wasProven { self.attempt = 0 }
        return self.giveUp(ending, jitter: jitter, now: now)
    }

    private mutating func giveUp(_ ending: Ending, jitter: Double, now: NIODeadline) -> Order {
        switch ending {
        case .told(isFinal: true, _):
            self.state = .closed
            return .end
        case .told(_, let retryAfter): return self.pause(jitter, atLeast: retryAfter, now: now)
        case .lost: return self.pause(jitter, atLeast: nil, now: now)
        }
    }

    private mutating func pause(_ jitter: Double, atLeast: Duration?, now: NIODeadline) -> Order {
        let pause = self.backoff.delay(attempt: self.attempt, jitter: jitter, atLeast: atLeast)
        self.attempt += 1
        self.state = .waiting(notBefore: atLeast.map { now + TimeAmount($0) })
        return .wait(pause)
    }
}
