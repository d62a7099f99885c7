import NIOConcurrencyHelpers

/// Says once, to all who ask or wait, that the broker takes no new work.
package final class DrainSignal: Sendable {
    private struct State {
        var isOn = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    package var isOn: Bool { self.state.withLockedValue { $0.isOn } }

    package func turnOn() {
        let waiters = self.state.withLockedValue { state in
            state.isOn = true
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.self)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once the signal is on or the task is cancelled.
    package func wait() async {
        let id = self.state.withLockedValue { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLockedValue { state in
                    // the handler below takes the lock too: a task that is cancelled later finds its waiter
                    if state.isOn || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            self.state.withLockedValue { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
