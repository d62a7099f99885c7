import NIOConcurrencyHelpers

/// Lets through so many reports that a flood does not fill the log: ten at once, then one a second.
package final class ReportLimit: Sendable {
    private struct State {
        var bucket: TokenBucket
        var unreported = 0
    }

    private let state: NIOLockedValueBox<State>
    private let now: @Sendable () -> UInt64

    /// - Parameter now: a monotonic time in nanoseconds.
    package init(now: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.state = NIOLockedValueBox(State(bucket: TokenBucket(perSecond: 1, burst: 10, now: now())))
    }

    /// - Returns: how many were not reported before this one; `nil`: nor is this one.
    package func take() -> Int? {
        self.state.withLockedValue { state in
            guard state.bucket.take(now: self.now()) == nil else {
                state.unreported += 1
                return nil
            }
            defer { state.unreported = 0 }
            return state.unreported
        }
    }
}
