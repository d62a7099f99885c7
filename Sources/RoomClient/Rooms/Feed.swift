import NIOConcurrencyHelpers
import RoomModel

/// One reader's buffer, between the client's event loop, which fills it, and the task that reads.
final class Feed: Sendable {
    private struct State {
        var buffer: FeedBuffer
        var reader: Reader?
        var lastTurn: UInt64 = 0
        var hasEnded = false
    }

    /// A task that waits for the next event. It is woken to look into the buffer again, not given the event: see ``Waiter``.
    private struct Reader {
        /// Tells it from others, whose cancellation is not its own.
        let turn: UInt64
        /// Whether it is to look again.
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// What the reader finds.
    private enum Finding {
        case event(IncomingEvent)
        case end
        case nothing(turn: UInt64)
    }

    private let state: NIOLockedValueBox<State>
    private let members: @Sendable () -> [Member]
    private let onFetch: @Sendable (Feed, FeedBuffer.Fetch) -> Void

    /// - Parameters:
    ///   - members: who is in the room now.
    ///   - onFetch: called by the reader when it has caught up and something was dropped before.
    init(
        limit: RoomClient.Configuration.FeedBuffer,
        members: @escaping @Sendable () -> [Member],
        onFetch: @escaping @Sendable (Feed, FeedBuffer.Fetch) -> Void
    ) {
        self.state = NIOLockedValueBox(State(buffer: FeedBuffer(limit: limit)))
        self.members = members
        self.onFetch = onFetch
    }

    /// What waits for the reader.
    var unread: (count: Int, bytes: Int) { self.state.withLockedValue { ($0.buffer.count, $0.buffer.bytes) } }

    // MARK: The client's side

    func add(_ event: IncomingEvent, epoch: Epoch?) {
        self.change { $0.add(event, epoch: epoch) }
    }

    func fetched(_ entries: [IncomingEvent], hasMore: Bool, of fetch: FeedBuffer.Fetch) {
        self.change { $0.fetched(entries, hasMore: hasMore, of: fetch) }
    }

    /// The history cannot be had: the app is told a gap.
    func fetchFailed(_ fetch: FeedBuffer.Fetch, _ reason: RoomGap.Reason = .slow) {
        self.change { $0.fetchFailed(fetch, reason) }
    }

    /// Changes the buffer, and wakes the reader if there is something for it now.
    private func change(_ change: (inout FeedBuffer) -> Void) {
        let (reader, fetch) = self.state.withLockedValue { state in
            change(&state.buffer)
            return (state.buffer.hasNext ? Self.takeReader(&state) : nil, Self.fetch(&state))
        }
        reader?.continuation.resume(returning: true)
        if let fetch { self.onFetch(self, fetch) }
    }

    /// What is buffered can still be read, then the feed ends.
    func end() {
        let reader = self.state.withLockedValue { state in
            state.hasEnded = true
            state.buffer.end()
            return Self.takeReader(&state)
        }
        reader?.continuation.resume(returning: true)
    }

    private static func takeReader(_ state: inout State) -> Reader? {
        defer { state.reader = nil }
        return state.reader
    }

    // MARK: The reader's side

    /// The next event; `nil` at the end, in a cancelled task, and where another task waits for the next event already.
    func next() async -> IncomingEvent? {
        while !Task.isCancelled {
            switch self.take() {
            case .event(let event): return event
            case .end: return nil
            case .nothing(let turn):
                guard await self.wait(turn) else { return nil }
            }
        }
        return nil
    }

    /// - Returns: whether to look again.
    private func wait(_ turn: UInt64) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { self.suspend(Reader(turn: turn, continuation: $0)) }
        } onCancel: {
            self.cancel(turn)
        }
    }

    private func take() -> Finding {
        let (finding, fetch) = self.state.withLockedValue { state -> (Finding, FeedBuffer.Fetch?) in
            if let event = self.nextEvent(&state) { return (.event(event), Self.fetch(&state)) }
            state.lastTurn += 1
            return (state.hasEnded ? .end : .nothing(turn: state.lastTurn), Self.fetch(&state))
        }
        if let fetch { self.onFetch(self, fetch) }
        return finding
    }

    private func suspend(_ reader: Reader) {
        let looksAgain = self.state.withLockedValue { state -> Bool? in
            if state.reader != nil || Task.isCancelled { return false }
            if state.hasEnded || state.buffer.hasNext { return true }
            state.reader = reader
            return nil
        }
        if let looksAgain { reader.continuation.resume(returning: looksAgain) }
    }

    private func cancel(_ turn: UInt64) {
        let reader = self.state.withLockedValue { state in
            state.reader?.turn == turn ? Self.takeReader(&state) : nil
        }
        reader?.continuation.resume(returning: false)
    }

    private func nextEvent(_ state: inout State) -> IncomingEvent? {
        if let event = state.buffer.next() { return event }
        return state.buffer.takeStalePresence() ? .members(self.members()) : nil
    }

    private static func fetch(_ state: inout State) -> FeedBuffer.Fetch? {
        state.hasEnded ? nil : state.buffer.fetchIfDue()
    }
}
