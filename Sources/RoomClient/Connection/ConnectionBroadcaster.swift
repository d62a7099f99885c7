import NIOConcurrencyHelpers

/// The present connection state, readable from every thread, and the tasks that follow it.
final class ConnectionBroadcaster: Sendable {
    private struct State {
        var current = ConnectionState.idle
        var clientID: String?
        /// All ids that the client has had so far.
        var clientIDs: Set<String> = []
        var followers = Followers<ConnectionState>()
    }

    /// States that a slow follower may still read.
    private static let kept = 16
    private let state = NIOLockedValueBox(State())

    var clientID: String? { self.state.withLockedValue(\.clientID) }

    /// Whether this is, or was, the id of the client.
    func hasBeen(_ id: String) -> Bool { self.state.withLockedValue { $0.clientIDs.contains(id) } }

    func moved(to new: ConnectionState) {
        let followers = self.state.withLockedValue { state in
            state.current = new
            if case .connected(let id) = new {
                state.clientID = id
                state.clientIDs.insert(id)
            }
            return state.followers.all
        }
        for follower in followers {
            follower.yield(new)
            if case .closed = new { follower.finish() }
        }
    }

    func states() -> AsyncStream<ConnectionState> {
        let (stream, follower) = AsyncStream.makeStream(
            of: ConnectionState.self,
            bufferingPolicy: .bufferingNewest(Self.kept)
        )
        let (id, isOver) = self.state.withLockedValue { state in
            let id = state.followers.add(follower)
            follower.yield(state.current)
            if case .closed = state.current { return (id, true) }
            return (id, false)
        }
        follower.onTermination = { [weak self] _ in
            self?.state.withLockedValue { $0.followers.remove(id) }
        }
        if isOver { follower.finish() }
        return stream
    }
}

/// Passes the events of the whole channel to the tasks that follow them. Each task has its own stream, which keeps the newest
/// events for a slow reader.
final class EventBroadcaster: Sendable {
    private struct State {
        var followers = Followers<ClientEvent>()
        var isOver = false
    }

    /// Events that a slow follower may still read.
    private static let kept = 64
    private let state = NIOLockedValueBox(State())

    func tell(_ event: ClientEvent) {
        for follower in self.state.withLockedValue(\.followers.all) { follower.yield(event) }
    }

    func end() {
        let followers = self.state.withLockedValue { state in
            state.isOver = true
            return state.followers.all
        }
        for follower in followers { follower.finish() }
    }

    func events() -> AsyncStream<ClientEvent> {
        let (stream, follower) = AsyncStream.makeStream(
            of: ClientEvent.self,
            bufferingPolicy: .bufferingNewest(Self.kept)
        )
        let (id, isOver) = self.state.withLockedValue { ($0.followers.add(follower), $0.isOver) }
        follower.onTermination = { [weak self] _ in
            self?.state.withLockedValue { $0.followers.remove(id) }
        }
        if isOver { follower.finish() }
        return stream
    }
}

/// The streams of the tasks that follow a broadcaster; used under the lock of the broadcaster.
struct Followers<Element: Sendable> {
    private var continuations: [UInt64: AsyncStream<Element>.Continuation] = [:]
    private var last: UInt64 = 0

    var all: [AsyncStream<Element>.Continuation] { Array(self.continuations.values) }

    mutating func add(_ follower: AsyncStream<Element>.Continuation) -> UInt64 {
        self.last += 1
        self.continuations[self.last] = follower
        return self.last
    }

    mutating func remove(_ number: UInt64) {
        self.continuations[number] = nil
    }
}
