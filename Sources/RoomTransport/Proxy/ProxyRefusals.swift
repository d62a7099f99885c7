import NIOConcurrencyHelpers
import RoomCore
package import RoomModel

/// Counts the connections that are closed for want of a PROXY header, and reports them, though not each of a flood.
package final class ProxyRefusals: Sendable {
    package struct Report: Equatable, Sendable {
        /// The peer that has connected; `nil` where the system does not know it any more.
        package var peer: IPAddress?
        package var reason: String
        /// Earlier ones that were not reported.
        package var unreported: Int
    }

    private struct State {
        var total = 0
        var unreported = 0
        /// Made with the first refusal.
        var bucket: TokenBucket?
    }

    private static let reportsAtOnce = 10

    private let state = NIOLockedValueBox(State())
    private let report: @Sendable (Report) -> Void

    /// - Parameter report: called on the event loop of the connection; ten times at once, then once a second.
    package init(report: @escaping @Sendable (Report) -> Void) {
        self.report = report
    }

    var total: Int { self.state.withLockedValue(\.total) }

    /// - Parameter now: a monotonic time in nanoseconds.
    func add(_ peer: IPAddress?, reason: String, now: UInt64) {
        let unreported: Int? = self.state.withLockedValue { state in
            state.total += 1
            var bucket = state.bucket ?? TokenBucket(perSecond: 1, burst: Self.reportsAtOnce, now: now)
            defer { state.bucket = bucket }
            guard bucket.take(now: now) == nil else {
                state.unreported += 1
                return nil
            }
            defer { state.unreported = 0 }
            return state.unreported
        }
        guard let unreported else { return }
        self.report(Report(peer: peer, reason: reason, unreported: unreported))
    }
}
