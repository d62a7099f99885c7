import RoomCore

/// How long a sender waits for its records to be seen before it sends the oldest again. It grows with the delay of the log, and
/// doubles in vain: what is slow would become slower by repeats.
struct RetransmissionTimer: Sendable {
    /// How long a record takes until it is seen, smoothed.
    private var delay: UInt64 = 0
    private var length = Self.least
    /// When a record was seen last, or the oldest was sent again.
    private var start: UInt64 = 0

    private static let least: UInt64 = 250_000_000
    private static let most: UInt64 = 5_000_000_000
    /// No longer by doubling.
    private static let mostInVain: UInt64 = 1_000_000_000

    var end: UInt64 { self.start + self.length }

    /// A record is on its way, and was none before.
    mutating func begins(now: UInt64) { self.start = now }

    /// - Parameter delay: since it was sent, where that is known.
    mutating func seen(after delay: UInt64?, now: UInt64) {
        if let delay { self.delay = self.delay - self.delay / 8 + delay / 8 }
        self.start = now
        self.length = max(Self.least, min(self.delay * 4, Self.most))
    }

    mutating func inVain(now: UInt64) {
        self.start = now
        self.length = max(self.length, min(self.length * 2, Self.mostInVain))
    }
}
