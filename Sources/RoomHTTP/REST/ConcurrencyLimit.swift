import NIOConcurrencyHelpers

/// Bounds how many lists are made at once: each looks at everything that there is in a channel.
final class ConcurrencyLimit: Sendable {
    private let limit: Int
    private let count = NIOLockedValueBox(0)

    init(limit: Int = 8) {
        self.limit = limit
    }

    /// - Returns: false where there are enough; otherwise `leave` has to follow.
    func enter() -> Bool {
        self.count.withLockedValue { count in
            guard count < self.limit else { return false }
            count += 1
            return true
        }
    }

    func leave() {
        self.count.withLockedValue { $0 -= 1 }
    }
}
