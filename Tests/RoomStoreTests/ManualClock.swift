import Synchronization

/// Unix milliseconds that go by when a test says so.
final class ManualClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_763_697_600_000)

    var now: Int64 { self.milliseconds.withLock { $0 } }

    func advance(by duration: Duration) {
        self.milliseconds.withLock { $0 += Int64(duration / .milliseconds(1)) }
    }
}
