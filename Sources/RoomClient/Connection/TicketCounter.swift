import NIOConcurrencyHelpers

/// Numbers the requests of one client; each number is the `callback` of a frame. They rise, over reconnections too, so that
/// a late answer is never taken for another request's.
final class TicketCounter: Sendable {
    private let last = NIOLockedValueBox<UInt64>(0)

    func next() -> UInt64 {
        self.last.withLockedValue { last in
            last += 1
            return last
        }
    }
}
