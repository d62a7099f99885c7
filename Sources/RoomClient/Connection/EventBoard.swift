import NIOConcurrencyHelpers

/// Takes what concerns the whole client to those who follow it. Each has its own stream, which keeps the newest events of a
/// slow reader.
final class EventBoard: Sendable {
    private struct State {
        var followers: [UInt64: AsyncStream<ClientEvent>.Continuation] = [:]
        var nextFollower: UInt64 = 0
        var isOver = false
    }

    /// Events that a slow follower may still read.
    private static let kept = 64
    private let state = NIOLockedValueBox(State())

    func tell(_ event: ClientEvent) {
        for follower in self.state.withLockedValue({ Array($0.followers.values) }) { follower.yield(event) }
    }

    func end() {
        let followers = self.state.withLockedValue { state in
            state.isOver = true
            return Array(state.followers.values)
        }
        for follower in followers { follower.finish() }
    }

    func events() -> AsyncStream<ClientEvent> {
        let (stream, follower) = AsyncStream.makeStream(
            of: ClientEvent.self,
            bufferingPolicy: .bufferingNewest(Self.kept)
        )
        let (id, isOver) = self.state.withLockedValue { state in
            let id = state.nextFollower
            state.nextFollower += 1
            if !state.isOver { state.followers[id] = follower }
            return (id, state.isOver)
        }
        follower.onTermination = { [weak self] _ in
            _ = self?.state.withLockedValue { $0.followers.removeValue(forKey: id) }
        }
        if isOver { follower.finish() }
        return stream
    }
}
