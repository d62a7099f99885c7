import NIOConcurrencyHelpers

/// A count that others wait for.
final class Progress: Sendable {
    private struct State {
        var count = 0
        var waiters: [(target: Int, done: AsyncStream<Never>.Continuation)] = []
    }

    private let state = NIOLockedValueBox(State())

    var count: Int { self.state.withLockedValue(\.count) }

    func advance() {
        let reached = self.state.withLockedValue { state in
            state.count += 1
            let count = state.count
            let reached = state.waiters.filter { $0.target <= count }
            state.waiters.removeAll { $0.target <= count }
            return reached
        }
        for waiter in reached { waiter.done.finish() }
    }

    /// Waits until it has come so far; not in a cancelled task.
    func reached(_ target: Int) async {
        let (stream, done) = AsyncStream.makeStream(of: Never.self)
        let isReached = self.state.withLockedValue { state in
            if state.count >= target { return true }
            state.waiters.append((target, done))
            return false
        }
        if isReached { return }
        for await _ in stream {}
    }
}
