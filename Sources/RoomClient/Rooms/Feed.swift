import NIOConcurrencyHelpers
import RoomModel
import RoomWire

/// One reader's buffer, between the client's event loop, which fills it, and the task that reads.
final class Feed: Sendable {
    private struct State {
        var buffer: FeedBuffer
        /// The task that waits for the next event. It is woken to look into the buffer again, not given the event.
        var reader: Waiter<Void>?
        var hasEnded = false
    }

    /// The result of looking into the buffer.
    private enum Finding {
        case event(IncomingEvent)
        case end
        case nothing(Waiter<Void>)
    }

    private let state: NIOLockedValueBox<State>
    private let members: @Sendable () -> [Member]
    private let onFetch: @Sendable (Feed, FeedBuffer.Fetch) -> Void

    /// - Parameters:
    ///   - members: the present members of the room.
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

    /// The number and the size of the events that wait for the reader.
    var unread: (count: Int, bytes: Int) { self.state.withLockedValue { ($0.buffer.count, $0.buffer.bytes) } }

    // MARK: The client's side

    func add(_ event: IncomingEvent, epoch: Epoch?) {
        self.change { $0.add(event, epoch: epoch) }
    }

    func fetched(_ entries: [IncomingEvent], gap: HistoryGap?, hasMore: Bool, of fetch: FeedBuffer.Fetch) {
        self.change { $0.fetched(entries, gap: gap, hasMore: hasMore, of: fetch) }
    }

    /// The history cannot be read: the reader gets a gap.
    func fetchFailed(_ fetch: FeedBuffer.Fetch, _ reason: RoomGap.Reason = .slow) {
        self.change { $0.fetchFailed(fetch, reason) }
    }

    /// Changes the buffer, and wakes the reader if there is something for it now.
    private func change(_ change: (inout FeedBuffer) -> Void) {
        let (reader, fetch) = self.state.withLockedValue { state in
            change(&state.buffer)
            return (state.buffer.hasNext ? Self.takeReader(&state) : nil, Self.fetch(&state))
        }
        reader?.answer(.success(()))
        if let fetch { self.onFetch(self, fetch) }
    }

    /// The feed ends after the buffered events.
    func end() {
        let reader = self.state.withLockedValue { state in
            state.hasEnded = true
            state.buffer.end()
            return Self.takeReader(&state)
        }
        reader?.answer(.success(()))
    }

    private static func takeReader(_ state: inout State) -> Waiter<Void>? {
        defer { state.reader = nil }
        return state.reader
    }

    // MARK: The reader's side

    /// The next event; `nil` at the end, in a cancelled task, and if another task already waits for the next event.
    func next() async -> IncomingEvent? {
        while !Task.isCancelled {
            switch self.take() {
            case .event(let event): return event
            case .end: return nil
            case .nothing(let waiter):
                // It throws in a cancelled task only, and then the loop ends.
                try? await waiter.wait(onCancel: { self.forget(waiter) })
            }
        }
        return nil
    }

    private func take() -> Finding {
        let (finding, fetch) = self.state.withLockedValue { state -> (Finding, FeedBuffer.Fetch?) in
            if let event = self.nextEvent(&state) { return (.event(event), Self.fetch(&state)) }
            guard !state.hasEnded, state.reader == nil else { return (.end, Self.fetch(&state)) }
            let waiter = Waiter<Void>()
            state.reader = waiter
            return (.nothing(waiter), Self.fetch(&state))
        }
        if let fetch { self.onFetch(self, fetch) }
        return finding
    }

    private func forget(_ waiter: Waiter<Void>) {
        self.state.withLockedValue { state in
            if state.reader === waiter { state.reader = nil }
        }
    }

    private func nextEvent(_ state: inout State) -> IncomingEvent? {
        if let event = state.buffer.next() { return event }
        return state.buffer.takeStalePresence() ? .members(self.members()) : nil
    }

    private static func fetch(_ state: inout State) -> FeedBuffer.Fetch? {
        state.hasEnded ? nil : state.buffer.fetchIfDue()
    }
}
