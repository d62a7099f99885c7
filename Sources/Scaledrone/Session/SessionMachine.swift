/// The sessions of a ``Scaledrone``, and the treatment of the app's requests. Pure; generic, so that its tests need no sessions.
struct SessionMachine<Session, Request> {
    private enum State {
        /// The app has not connected, or has disconnected. Can transition to: `running`.
        case idle(waiting: [Request])
        /// Can transition to: `idle` when the app disconnects, `failed`.
        case running(Session, number: Int)
        /// The session has given up. Can transition to: `running`, `idle`.
        case failed(ClientError)
    }

    private var state = State.idle(waiting: [])
    private var sessions = 0

    /// The newest session; perhaps it has ended.
    private(set) var latest: Session?

    /// The present session.
    var current: Session? {
        if case .running(let session, _) = self.state { session } else { nil }
    }

    /// Whether the delegates still get the events of this session.
    func isRunning(_ number: Int) -> Bool {
        if case .running(_, number) = self.state { true } else { false }
    }

    /// The app connects.
    ///
    /// - Parameter start: makes the session of this number, which begins with these requests; not called where there is one.
    mutating func connected(start: (_ number: Int, _ waiting: [Request]) -> Session) {
        let waiting: [Request]
        switch self.state {
        case .idle(let requests): waiting = requests
        case .failed: waiting = []
        case .running: return
        }
        self.sessions += 1
        let session = start(self.sessions, waiting)
        self.latest = session
        self.state = .running(session, number: self.sessions)
    }

    /// The app disconnects.
    ///
    /// - Returns: the session that has to end.
    mutating func disconnected() -> Session? {
        defer { self.state = .idle(waiting: []) }
        return self.current
    }

    /// A session has ended because of an error.
    ///
    /// - Returns: whether the app has to be informed.
    mutating func gaveUp(_ number: Int, because clientError: ClientError) -> Bool {
        guard self.isRunning(number) else { return false }
        self.state = .failed(clientError)
        return true
    }

    /// The treatment of a request.
    enum AskAction {
        case pass(Session)
        /// It is kept for the next session.
        case wait
        case refuse(ClientError)
    }

    /// - Parameter canWait: whether the request is still useful later.
    mutating func asked(_ request: Request, canWait: Bool) -> AskAction {
        switch self.state {
        case .idle(let waiting):
            guard canWait else { return .refuse(.notConnected) }
            self.state = .idle(waiting: waiting + [request])
            return .wait
        case .running(let session, _): return .pass(session)
        case .failed(let clientError): return .refuse(clientError)
        }
    }
}
