import NIOConcurrencyHelpers
import RoomDelivery

/// Unix milliseconds that go by when a test says so; it may step back.
package final class ManualClock: Sendable {
    /// Where all of them begin.
    package static let start: Int64 = 1_763_697_600_000

    private let milliseconds = NIOLockedValueBox(ManualClock.start)

    package init() {}

    package var now: Int64 { self.milliseconds.withLockedValue { $0 } }

    package func advance(milliseconds: Int64) {
        self.milliseconds.withLockedValue { $0 += milliseconds }
    }
}

/// The id floor of a broker that keeps nothing over a restart, or of one that is started again in a test.
package final class MemoryFloor: IDFloor {
    private let reserved = NIOLockedValueBox<Int64>(0)

    package init() {}

    package var current: Int64 { self.reserved.withLockedValue { $0 } }

    package func reserve(through milliseconds: Int64) {
        self.reserved.withLockedValue { $0 = max($0, milliseconds) }
    }
}
