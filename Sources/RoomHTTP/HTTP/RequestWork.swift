import NIOConcurrencyHelpers

/// The work that a connection's request has caused in rooms, in the units of `Work`, until the connection is charged
/// for it: when the answer has gone out.
package final class RequestWork: Sendable {
    private let units = NIOLockedValueBox(0)

    package init() {}

    func add(_ units: Int) { self.units.withLockedValue { $0 += units } }

    func take() -> Int {
        self.units.withLockedValue { units in
            defer { units = 0 }
            return units
        }
    }
}
