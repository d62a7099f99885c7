import NIOConcurrencyHelpers

/// Counts what is open, connections above all, so that the end of the last one can be waited for.
package final class OpenCount: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    package func opened() {
        self.state.withLockedValue { $0.count += 1 }
    }

    package func closed() {
        let waiters = self.state.withLockedValue { state in
            state.count -= 1
            guard state.count == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once nothing is open.
    package func untilNone() async {
        await withCheckedContinuation { continuation in
            let isNone = self.state.withLockedValue { state in
                if state.count > 0 { state.waiters.append(continuation) }
                return state.count == 0
            }
            if isNone { continuation.resume() }
        }
    }
}
