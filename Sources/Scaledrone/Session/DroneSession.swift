import RoomClient

/// The work of one `connect()` until its end: one task, which holds no objects of the app.
final class DroneSession: Sendable {
    /// A request of the app.
    enum Request: Sendable {
        case publish(JSON, room: String)
        case subscribe(Subscription, history: Int)
        case authenticate(String)
        /// The last one.
        case disconnect
    }

    private let requests: AsyncStream<Request>.Continuation
    /// Ends after the last call of a delegate.
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - former: the session before this one; its delegate calls come first.
    ///   - waiting: the requests from before there was a session.
    init(
        after former: DroneSession?,
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

    /// Accepts no further requests, waits a moment for open ones, and ends.
    func finish() {
        self.requests.yield(.disconnect)
        self.requests.finish()
    }

    /// Ends at once.
    func cancel() {
        self.task.cancel()
    }
}
