/// The state of the connection between a client and its broker.
public enum ConnectionState: Sendable {
    /// The client has not connected yet, or has stopped trying because nothing needs a connection.
    case idle
    /// The client opens a connection, sends the handshake or authenticates.
    case connecting
    /// The client is connected.
    case connected(clientID: String)
    /// The last attempt failed, or the connection was lost, with this error. The next attempt follows after `retryIn`.
    case waiting(retryIn: Duration, RoomClientError)
    /// The client is closed: by the app (`nil`), or by an error after which it does not try again. This state is the last one.
    case closed(RoomClientError?)
}

extension ConnectionState {
    /// Whether this is ``connected(clientID:)``.
    public var isConnected: Bool {
        if case .connected = self { true } else { false }
    }
}

/// The changes of the connection state as an asynchronous sequence. It begins with the present ``ConnectionState`` and ends
/// after ``ConnectionState/closed(_:)``. Any number of tasks may iterate it. A task that is more than 16 states behind misses the
/// oldest ones, but never the newest.
public struct ConnectionStates: AsyncSequence, Sendable {
    /// The sequence never throws.
    public typealias Failure = Never

    private let broadcaster: ConnectionBroadcaster

    init(_ broadcaster: ConnectionBroadcaster) {
        self.broadcaster = broadcaster
    }

    /// Starts with the present state.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: self.broadcaster.states().makeAsyncIterator())
    }

    /// The iterator of ``ConnectionStates``.
    public struct Iterator: AsyncIteratorProtocol {
        /// The sequence never throws.
        public typealias Failure = Never

        fileprivate var base: AsyncStream<ConnectionState>.Iterator

        /// Waits for the next state; returns `nil` after the last one and in a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
            await self.base.next(isolation: actor)
        }

        /// Waits for the next state; returns `nil` after the last one and in a cancelled task.
        public mutating func next() async -> ConnectionState? {
            await self.next(isolation: #isolation)
        }
    }
}
