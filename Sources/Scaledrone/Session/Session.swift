import RoomClient

/// One `connect()` until its end. It holds nothing of the app's, and its task is all that works for it.
final class Session: Sendable {
    /// What the app asks for, in the order in which it does.
    enum Request: Sendable {
        case publish(JSON, room: String)
        case subscribe(Subscription, history: Int)
        case authenticate(String)
        /// The last one.
        case disconnect
    }

    private let requests: AsyncStream<Request>.Continuation
    /// Ends after the last word to the app.
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - former: the session before this one: what it still says comes first.
    ///   - waiting: what was asked for before there was a session.
    init(
        after former: Session?,
        waiting: [Request],
        reporter: Reporter,
        client: @escaping @Sendable () throws(ClientError) -> RoomClient
    ) {
        let (stream, requests) = AsyncStream.makeStream(of: Request.self)
        for request in waiting { requests.yield(request) }
        self.requests = requests
        self.task = Task { [former = former?.task] in
            await former?.value
            do throws(ClientError) {
                let work = SessionWork(client: try client(), requests: stream, reporter: reporter)
                await work.run { requests.finish() }
            } catch {
                requests.finish()
                reporter.ended(error)
            }
        }
    }

    /// - Returns: whether the session still takes requests.
    func ask(_ request: Request) -> Bool {
        if case .terminated = self.requests.yield(request) { false } else { true }
    }

    /// Takes no further requests, gives what is on its way a moment, and ends.
    func finish() {
        self.requests.yield(.disconnect)
        self.requests.finish()
    }

    /// Ends at once.
    func cancel() {
        self.task.cancel()
    }
}
