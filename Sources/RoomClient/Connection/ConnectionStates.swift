import NIOConcurrencyHelpers

/// How a client stands, as it changes: begins with the present ``ConnectionState`` and ends after
/// ``ConnectionState/closed(_:)``. Any number of tasks may iterate it; a slow one misses intermediate states, never the last.
public struct ConnectionStates: AsyncSequence, Sendable {
    /// The states do not throw.
    public typealias Failure = Never

    private let board: ConnectionBoard

    init(_ board: ConnectionBoard) {
        self.board = board
    }

    /// Begins with the present state.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: self.board.states().makeAsyncIterator())
    }

    /// Reads ``ConnectionStates``.
    public struct Iterator: AsyncIteratorProtocol {
        /// The states do not throw.
        public typealias Failure = Never

        fileprivate var base: AsyncStream<ConnectionState>.Iterator

        /// The next state; `nil` after the last, and in a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
            await self.base.next(isolation: actor)
        }

        /// The next state; `nil` after the last, and in a cancelled task.
        public mutating func next() async -> ConnectionState? {
            await self.next(isolation: #isolation)
        }
    }
}

/// The present state, for reading from any thread, and those who follow it.
final class ConnectionBoard: Sendable {
    private struct State {
        var current = ConnectionState.idle
        var clientID: String?
        /// All ids that the client has had.
        var clientIDs: Set<String> = []
        var followers: [UInt64: AsyncStream<ConnectionState>.Continuation] = [:]
        var nextFollower: UInt64 = 0
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
            return state.followers.values.map(\.self)
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
            let id = state.nextFollower
            state.nextFollower += 1
            state.followers[id] = follower
            follower.yield(state.current)
            if case .closed = state.current { return (id, true) }
            return (id, false)
        }
        follower.onTermination = { [weak self] _ in
            _ = self?.state.withLockedValue { $0.followers.removeValue(forKey: id) }
        }
        if isOver { follower.finish() }
        return stream
    }
}
