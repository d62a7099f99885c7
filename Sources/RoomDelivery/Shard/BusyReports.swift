import NIOConcurrencyHelpers
package import NIOCore

/// Reports connections that use most of an event loop, for all loops together, at most one a minute.
package final class BusyReports: Sendable {
    package struct Report: Equatable, Sendable {
        package var connection: BusyConnections.Connection
        /// Earlier ones that were not reported.
        package var unreported: Int
    }

    private struct State {
        var reportedAt: NIODeadline?
        var unreported = 0
    }

    private let state = NIOLockedValueBox(State())
    private let report: @Sendable (Report) -> Void

    /// - Parameter report: called on the event loop of the connection.
    package init(report: @escaping @Sendable (Report) -> Void) {
        self.report = report
    }

    package func add(_ connections: [BusyConnections.Connection], now: NIODeadline) {
        for connection in connections {
            let unreported: Int? = self.state.withLockedValue { state in
                if let last = state.reportedAt, now - last < .minutes(1) {
                    state.unreported += 1
                    return nil
                }
                state.reportedAt = now
                defer { state.unreported = 0 }
                return state.unreported
            }
            if let unreported { self.report(Report(connection: connection, unreported: unreported)) }
        }
    }
}
